import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Job } from "../jobs/job.ts";
import { type Scheduler, startScheduler } from "../jobs/scheduler.ts";
import { NODE } from "./node.ts";
import { systemTimers } from "./timers.ts";

interface Ports {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly lastChangeAt: number | null;
}

/** Starts the jobs of the main thread. */
export function startJobs(ports: Ports, jobs: readonly Job[]): Promise<Scheduler> {
  return startScheduler({ ...ports, timers: systemTimers, random: Math.random, node: NODE }, jobs);
}
