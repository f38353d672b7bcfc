import { noSuchDeployment, requireDeployment } from "../deployments/history.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ComparedReport, ReportStatus } from "../model/report.ts";
import type { Site } from "../model/site.ts";
import type { StoredReport } from "../ports/store/reports.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import type { Timers } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";
import { compareReports } from "./compare.ts";

interface ReportPorts {
  readonly store: Pick<Store, "sites" | "deployments" | "reports">;
  readonly clock: Clock;
  readonly timers: Pick<Timers, "wait">;
}

/** The report of a deployment as a reader sees it. */
export interface DeploymentReport {
  readonly status: ReportStatus;
  /** The number of the deployment that it is compared with; null for none. */
  readonly comparedTo: number | null;
  /** Null unless it is ready. */
  readonly report: ComparedReport | null;
}

interface ReportRequest {
  readonly siteName: string;
  readonly number: number;
  /** How long to wait for a pending report, in milliseconds. */
  readonly wait: number;
  /** Another deployment to compare with; null for the one that was live. */
  readonly comparedWith?: number | null;
}

/** Between two looks at a pending report. */
const LOOK_INTERVAL_MS = SECOND / 4;

/**
 * Returns the report of a deployment, for callers who may deploy to the site. A deployment that is older than reports
 * gets one. Throws `not_found` and `forbidden`.
 */
export async function reportOf(ports: ReportPorts, caller: Caller, request: ReportRequest): Promise<DeploymentReport> {
  const { siteName, number, wait, comparedWith = null } = request;
  const site = await requireSite(ports.store, caller, siteName, "read_report");
  const deployment = await requireReportable(ports, site, number);
  const other = comparedWith === null ? null : await requireDeployment(ports.store.deployments, site, comparedWith);
  for (let waited = 0; ; waited += LOOK_INTERVAL_MS) {
    const found = await find(ports, deployment.id, other);
    if (found.status !== "pending" || waited >= wait) return found;
    await ports.timers.wait(LOOK_INTERVAL_MS);
    await requireReportable(ports, site, number);
  }
}

// --- internal ---

type Other = { readonly id: number; readonly number: number } | null;

/** A preview has expired before the job deletes it. */
async function requireReportable({ store, clock }: ReportPorts, site: Site, number: number): Promise<Deployment> {
  const deployment = await requireDeployment(store.deployments, site, number);
  const { expiresAt } = deployment;
  return expiresAt !== null && expiresAt <= clock.now() ? noSuchDeployment(site.name, number) : deployment;
}

async function find({ store }: ReportPorts, deploymentId: number, other: Other): Promise<DeploymentReport> {
  const stored = await findOrRequest(store, deploymentId);
  const { status = "pending", baseline = null, report = null, isCompared = false } = stored ?? {};
  const comparedTo = baseline?.number ?? null;
  if (report === null) return { status, comparedTo, report };
  if (other !== null) return compareWith(store, report, other);
  if (isCompared || baseline === null) return { status, comparedTo, report };
  return compareWith(store, report, { id: baseline.deploymentId, number: baseline.number });
}

async function findOrRequest({ reports }: Pick<Store, "reports">, deploymentId: number): Promise<StoredReport | null> {
  const stored = await reports.find(deploymentId);
  if (stored === null) await reports.request(deploymentId);
  return stored;
}

/** Pending as long as the other report is. */
async function compareWith(
  store: Pick<Store, "reports">,
  report: ComparedReport,
  { id, number: comparedTo }: NonNullable<Other>,
): Promise<DeploymentReport> {
  const former = await findOrRequest(store, id);
  if (former === null || former.status === "pending") return { status: "pending", comparedTo, report: null };
  return { status: "ready", comparedTo, report: compareReports(report, former.report) };
}
