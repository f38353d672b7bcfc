// Waits that began together must not end together for ever. `random` is in [0, 1).

/** By what share of itself a wait is changed at most. */
const SHARE = 0.1;

/** Returns the wait, up to a tenth shorter or longer. */
export function jittered(wait: number, random: number): number {
  return Math.round(wait * (1 - SHARE + 2 * SHARE * random));
}

/** Returns the wait, up to a tenth longer: for those whom somebody asked to wait so long at least. */
export function lengthened(wait: number, random: number): number {
  return Math.round(wait * (1 + SHARE * random));
}

/** Returns the longest that jitter makes of a wait. */
export function longest(wait: number): number {
  return Math.round(wait * (1 + SHARE));
}
