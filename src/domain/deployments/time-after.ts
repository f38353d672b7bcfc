import { MINUTE } from "../timestamp.ts";

/** Who writes has read the clock before it was their turn. A time further ahead is of a clock that was wrong. */
const MAX_TURN = MINUTE;

/** Returns the time of a change that follows another: of two at once, the later one may have read the clock first. */
export function timeAfter(earlier: number | null, at: number): number {
  return earlier !== null && earlier > at && earlier - at <= MAX_TURN ? earlier : at;
}
