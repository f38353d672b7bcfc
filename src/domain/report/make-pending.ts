import { messageOf } from "../error-message.ts";
import type { MadeReport } from "../model/report.ts";
import type { ReportClaim } from "../ports/store/reports.ts";
import type { Clock, Log } from "../ports/system.ts";
import { MINUTE, SECOND } from "../timestamp.ts";
import { compareReports } from "./compare.ts";
import { type MakeReportPorts, makeReport, Stopped } from "./make.ts";

interface PendingPorts extends MakeReportPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** The name of this node among those that share the store. */
  readonly node: string;
}

/** Time for one report on a busy machine, where a thread of the lowest priority waits most of the time. */
const CLAIM_MS = 30 * MINUTE;
/** Attempts at a report, which end when the process is killed or the content cannot be read. */
const MAX_ATTEMPTS = 5;
const RETRY_MS = MINUTE;
/** Time for the report of the baseline, which another node may be making. */
const BASELINE_WAIT_MS = SECOND;

/** Makes all pending reports, the oldest first. Returns false if it was stopped. A failure is logged and tried again. */
export async function makePendingReports(ports: PendingPorts): Promise<boolean> {
  for (;;) {
    const now = ports.clock.now();
    const maker = { holder: ports.node, now };
    // A claim writes, and this is called after each file that is encoded.
    const isPending = await ports.store.reports.isPending(maker);
    const claim = isPending ? await ports.store.reports.claim({ ...maker, until: now + CLAIM_MS }) : null;
    if (claim === null) return true;
    try {
      await makePending(ports, claim);
    } catch (error) {
      if (!(error instanceof Stopped)) await retryLater(ports, claim, error);
      else {
        await ports.store.reports.giveBack(claim, ports.clock.now(), false);
        return false;
      }
    }
  }
}

// --- internal ---

async function makePending(ports: PendingPorts, claim: ReportClaim): Promise<void> {
  const { store, clock } = ports;
  const isHopeless = claim.attempts > MAX_ATTEMPTS;
  const former = isHopeless ? null : await baselineOf(ports, claim);
  if (former === "pending") {
    await store.reports.giveBack(claim, clock.now() + BASELINE_WAIT_MS, false);
    return;
  }
  const made = isHopeless ? null : await madeReport(ports, claim, former);
  const isDeleted = made === null && !isHopeless;
  if (!isDeleted) await store.reports.record(claim, made && compareReports(made, former), clock.now());
}

/** Returns the report to compare with; null if there is none. A deployment that is older than reports gets one first. */
async function baselineOf({ store }: PendingPorts, { baseline }: ReportClaim): Promise<MadeReport | null | "pending"> {
  if (baseline === null) return null;
  if ((await store.reports.find(baseline.deploymentId)) === null) await store.reports.request(baseline.deploymentId);
  const found = await store.reports.find(baseline.deploymentId);
  return found?.status === "pending" ? "pending" : (found?.report ?? null);
}

async function madeReport(
  ports: PendingPorts,
  claim: ReportClaim,
  former: MadeReport | null,
): Promise<MadeReport | null> {
  const { baseline } = claim;
  if (!claim.isMade) return makeReport(ports, claim, baseline && former && { ...baseline, report: former });
  return (await ports.store.reports.find(claim.deploymentId))?.report ?? null;
}

async function retryLater({ store, clock, log }: PendingPorts, claim: ReportClaim, error: unknown): Promise<void> {
  const { siteName, number, attempts } = claim;
  log.warn("a report could not be made", { site: siteName, deployment: number, attempts, reason: messageOf(error) });
  await store.reports.giveBack(claim, clock.now() + RETRY_MS, true);
}
