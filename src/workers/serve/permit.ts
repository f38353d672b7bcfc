import type { MessagePort } from "node:worker_threads";
import { sharedRun } from "../../domain/shared-run.ts";
import type { VisitPermit } from "../../serving/visit-permit.ts";
import type { JoinedNode, SharedCluster } from "../../storage/cluster.ts";
import { leaseIn, type NodeLease } from "../../storage/replica/lease.ts";
import { handleCalls, type Port, remote } from "../rpc.ts";

type LeaseMethods = {
  /** Returns the time of the main thread's monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly renew: () => Promise<boolean>;
};

/** Lets a serving thread renew the node's lease over a channel. */
export function shareLease(port: Port, node: Pick<JoinedNode, "renew">): void {
  handleCalls<LeaseMethods>(port, { clock: () => performance.now(), renew: () => node.renew() });
}

/** Returns the permit of a serving thread, whose main thread shares the lease over this end of the channel. */
export async function openPermit(
  port: MessagePort,
  { lease: cell }: SharedCluster,
  isolatedFor: number,
): Promise<VisitPermit> {
  const { call } = remote<LeaseMethods>(port);
  // Counted from before the question, so that the lease can only seem to end too early.
  const asked = performance.now();
  const ahead = (await call("clock")) - asked;
  const lease = leaseIn(cell, () => performance.now() + ahead);
  return makePermit({ lease, isolatedFor, renew: () => call("renew"), sleep: Bun.sleep });
}

interface PermitPorts {
  readonly lease: NodeLease;
  /** Milliseconds after the end of the lease for which public visits are answered. */
  readonly isolatedFor: number;
  readonly renew: () => Promise<unknown>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** How long a visit waits for the renewal. */
const HOLD_MS = 1000;

/** If a visit was held for longer than its limit by this much, the process was stopped meanwhile. */
const STOPPED_MS = 500;

export function makePermit({ lease, isolatedFor, renew, sleep }: PermitPorts): VisitPermit {
  const holdOnce = async (): Promise<void> => {
    const before = lease.endedFor();
    await Promise.race([renew().catch(() => {}), sleep(HOLD_MS)]);
    if (lease.isCurrent() || lease.isIsolated()) return;
    // A process that was stopped meanwhile has not waited for the response.
    if (lease.endedFor() - before > HOLD_MS + STOPPED_MS) return holdOnce();
    lease.noteIsolation();
  };
  const hold = sharedRun(holdOnce);
  const mayRespond = () => lease.isCurrent() || lease.endedFor() < isolatedFor;

  return {
    isCurrent: () => lease.isCurrent(),
    obtain() {
      if (lease.isCurrent() || lease.isIsolated()) return mayRespond();
      return hold().then(mayRespond);
    },
  };
}
