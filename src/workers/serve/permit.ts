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
  const lease = leaseIn(cell, await clockOf(() => call("clock")));
  return makePermit({ lease, isolatedFor, renew: () => call("renew"), sleep: Bun.sleep });
}

/** The main thread is busy while it starts others, and the fastest of several responses errs least. */
const READINGS = 5;

/**
 * Returns another thread's clock, which `read` asks for its time. It may be fast by the time that the fastest response
 * took, and is never slow, so that the lease can only seem to end too early.
 */
export async function clockOf(read: () => Promise<number>, now = () => performance.now()): Promise<() => number> {
  let ahead = Number.POSITIVE_INFINITY;
  for (let readings = 0; readings < READINGS; readings++) {
    const asked = now();
    ahead = Math.min(ahead, (await read()) - asked);
  }
  return () => now() + ahead;
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
