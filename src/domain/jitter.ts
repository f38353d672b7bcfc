// Jitter spreads waits that began at the same time. `random` is in [0, 1).

/** Maximum change as a share of the wait. */
const SHARE = 0.1;

/** Returns the wait, changed by up to a tenth. */
export function jittered(wait: number, random: number): number {
  return Math.round(wait * (1 - SHARE + 2 * SHARE * random));
}

/** Returns the wait, up to a tenth longer, for a required minimum such as `Retry-After`. */
export function lengthened(wait: number, random: number): number {
  return Math.round(wait * (1 + SHARE * random));
}

/** Returns the maximum of a wait with jitter. */
export function longest(wait: number): number {
  return Math.round(wait * (1 + SHARE));
}
