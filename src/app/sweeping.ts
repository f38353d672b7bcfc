import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Job } from "../jobs/job.ts";
import { sweepJob } from "../jobs/sweep.ts";
import type { Storage } from "../storage/open.ts";
import { systemClock } from "./clock.ts";
import { systemTimers } from "./timers.ts";

/** Returns the job that sweeps. */
export function sweeping({ store, openContent }: Storage, clock: Clock, log: Log): Job {
  const content = openContent();
  const clocks = { clock, fileClock: systemClock, timers: systemTimers };
  return sweepJob({ store, content, ...clocks, log, pause: () => Bun.sleep(0) });
}
