import { systemClock } from "../clients/system/clock.ts";
import { systemTimers } from "../clients/system/timers.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Job } from "../jobs/job.ts";
import { ballastJob, sweepJob } from "../jobs/sweep.ts";
import type { Storage } from "../storage/open.ts";

/** Returns the jobs that look after the storage. Called before anybody can upload. */
export function storageJobs({ store, openContent, layBallast }: Storage, clock: Clock, log: Log): Job[] {
  const content = openContent();
  const clocks = { clock, fileClock: systemClock, timers: systemTimers };
  return [sweepJob({ store, content, ...clocks, log, pause: () => Bun.sleep(0) }), ballastJob(layBallast)];
}
