import type { CheckLease, CheckLeaseRequest } from "../ports/store/claims.ts";
import { MINUTE } from "../timestamp.ts";

/** The stored lease of a claim's check. */
export interface CheckLeaseRecord {
  readonly checkHolder: string | null;
  readonly checkUntil: number | null;
  /** When the last check ended, and whether no resolver had answered. */
  readonly checkedAt: number | null;
  readonly checkSilent: boolean;
}

/**
 * A check that ended in the future was made by a clock that was wrong. The clocks of nodes, and the times that threads
 * read a little before they write, differ by less than this.
 */
export const CLOCK_TOLERANCE = MINUTE;

/** Returns the holder of a lease on a node; `unique` distinguishes holders on the same node. */
export function leaseHolder(node: string, unique: string): string {
  return `${node}/${unique}`;
}

/** Decides whether a check may start. Null is a claim that does not exist. */
export function decideCheckLease(
  kept: CheckLeaseRecord | null,
  { now, until, shareFor }: CheckLeaseRequest,
): CheckLease {
  if (kept === null) return { outcome: "done", silent: false };
  // `now` was read before this writer's transaction, so a lease taken meanwhile ends a little after `until`. One that
  // ends much later was taken by a clock that was wrong.
  const latest = until + (until - now);
  const { checkHolder, checkUntil, checkedAt, checkSilent } = kept;
  const isRunning = checkHolder !== null && checkUntil !== null && checkUntil > now && checkUntil < latest;
  if (isRunning) return { outcome: "running" };
  // Likewise, a lease released meanwhile ended a little after `now`.
  const isRecent = checkedAt !== null && Math.abs(now - checkedAt) < shareFor;
  return isRecent ? { outcome: "done", silent: checkSilent } : { outcome: "begun" };
}
