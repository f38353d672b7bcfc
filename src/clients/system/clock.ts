import type { Clock } from "../../domain/ports/system.ts";

/** The machine's wall clock. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * Milliseconds that all threads of the process add to the wall clock: by how much tests advanced the time, and how far
 * the clock of a shared database is ahead.
 */
export type ClockShift = Float64Array;

const ADVANCED = 0;
const AHEAD = 1;

/** The clocks of a machine and its database differ by less if both follow the time of the network. */
const TOLERANCE_MS = 500;

export function newClockShift(): ClockShift {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
}

/**
 * Lets the clock follow another one that is ahead of the machine's by some milliseconds. It is changed only if it
 * differs noticeably, because the difference is measured over the network.
 */
export function followClock(shift: ClockShift, ahead: number): void {
  if (Math.abs(ahead - (shift[AHEAD] ?? 0)) <= TOLERANCE_MS) return;
  shift[AHEAD] = Math.abs(ahead) <= TOLERANCE_MS ? 0 : Math.round(ahead);
}

export function shiftedClock(shift: ClockShift): Clock {
  return { now: () => Date.now() + (shift[ADVANCED] ?? 0) + (shift[AHEAD] ?? 0) };
}
