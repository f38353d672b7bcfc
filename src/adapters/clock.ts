import type { Clock } from "../domain/ports/clock.ts";

/** The machine's wall clock. */
export const systemClock: Clock = { now: () => Date.now() };
