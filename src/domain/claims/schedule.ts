import { jittered, longest } from "../jitter.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";
import type { Claim } from "./claim.ts";

/**
 * Why a claim is looked at again. `waiting`: for records that the owner must set. `step`: something of our own is under
 * way, such as an order. `moving`: a transition runs. `failing`: what should work does not. `resting`: all is well.
 */
export type BackoffPolicy = "waiting" | "step" | "moving" | "failing" | "resting";

/** A check that stands further in the future than any ladder reaches was planned by a clock that was wrong. */
export const MAX_INTERVAL = longest(DAY);

/** Returns milliseconds until the next look, after `attempts` looks on the same ladder; `random` is in [0, 1). */
export function interval(ladder: BackoffPolicy, attempts: number, random: number): number {
  return jittered(plainInterval(ladder, attempts), random);
}

function plainInterval(ladder: BackoffPolicy, attempts: number): number {
  switch (ladder) {
    case "waiting":
      // Slow at first, while people are still typing the record; then a day's patience in some forty looks.
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
      return ladder satisfies never;
  }
}

/**
 * Returns the claim with its next look planned, no later than `latest`. A look that came before it was due, because
 * somebody asked for it, takes no step on the ladder.
 */
export function planNext(
  claim: Claim,
  ladder: BackoffPolicy,
  { now, random }: { now: number; random: () => number },
  latest: number = Number.POSITIVE_INFINITY,
): Claim {
  const same = claim.ladder === ladder;
  const planned = claim.nextCheckAt ?? now;
  // Further away than this step ever is, a plan was made by a clock that was wrong.
  if (same && planned > now && planned - now <= interval(ladder, claim.attempts, 1)) {
    return { ...claim, nextCheckAt: Math.min(planned, Math.max(now, latest)) };
  }
  const attempts = same ? claim.attempts + 1 : 0;
  const next = now + interval(ladder, attempts, random());
  return { ...claim, ladder, attempts, nextCheckAt: Math.min(next, Math.max(now + SECOND, latest)) };
}
