import { MINUTE } from "../timestamp.ts";

/** Writers read the clock before their transaction. A time further ahead comes from a wrong clock. */
const MAX_TURN = MINUTE;

/** Returns the time of a change that follows another. Of two concurrent changes, the later one may have read the clock first. */
export function timeAfter(earlier: number | null, at: number): number {
  return earlier !== null && earlier > at && earlier - at <= MAX_TURN ? earlier : at;
}
