import { jittered, longest } from "../jitter.ts";
import type { BackoffPolicy, Claim } from "../model/claim.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";

/** A check planned further ahead than any policy allows was planned while the clock was wrong. */
export const MAX_INTERVAL = longest(DAY);

/** Returns the milliseconds until the next check, after `attempts` checks under the same policy. */
export function interval(backoff: BackoffPolicy, attempts: number, random: number): number {
  return jittered(plainInterval(backoff, attempts), random);
}

function plainInterval(backoff: BackoffPolicy, attempts: number): number {
  switch (backoff) {
    case "waiting":
      // Almost constant while people are still entering the record, then slower: about forty checks on the first day.
      return Math.min(MINUTE * 1.05 ** Math.min(attempts, 10) * 1.15 ** Math.max(0, attempts - 10), 4 * HOUR);
    case "step":
      return Math.min(2 * SECOND * 1.5 ** attempts, 5 * MINUTE);
    case "moving":
      return Math.min(10 * SECOND * 1.5 ** attempts, 2 * MINUTE);
    case "failing":
      return Math.min(2 * MINUTE * 2 ** attempts, DAY);
    case "resting":
      return DAY;
    default:
      return backoff satisfies never;
  }
}

/**
 * Returns the claim with its next check planned, no later than `latest`. A check that somebody requested before it was
 * due does not count as an attempt.
 */
export function planNext(
  claim: Claim,
  backoff: BackoffPolicy,
  { now, random }: { now: number; random: () => number },
  latest: number = Number.POSITIVE_INFINITY,
): Claim {
  const same = claim.backoff === backoff;
  const planned = claim.nextCheckAt ?? now;
  // A longer interval than this attempt allows was planned while the clock was wrong.
  if (same && planned > now && planned - now <= interval(backoff, claim.attempts, 1)) {
    return { ...claim, nextCheckAt: Math.min(planned, Math.max(now, latest)) };
  }
  const attempts = same ? claim.attempts + 1 : 0;
  const next = now + interval(backoff, attempts, random());
  return { ...claim, backoff, attempts, nextCheckAt: Math.min(next, Math.max(now + SECOND, latest)) };
}
