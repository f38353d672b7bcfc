import type { Clock } from "../../domain/ports/clock.ts";

/** The machine's wall clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds that all threads of the process add to the wall clock. Tests advance the time with it. */
export type ClockShift = Float64Array;

export function newClockShift(): ClockShift {
  return new Float64Array(new SharedArrayBuffer(8));
}

export function shiftedClock(shift: ClockShift): Clock {
  return { now: () => Date.now() + (shift[0] ?? 0) };
}
