import type { Clock, Log } from "../domain/ports/system.ts";
import { HOUR } from "../domain/timestamp.ts";
import { type Job, pauseUntilAborted } from "./job.ts";

interface CollectJobPorts {
  /** Deletes objects that hold no content any more, at that time. */
  readonly collect: (now: number, pause: () => Promise<void>) => Promise<object>;
  readonly clock: Clock;
  readonly log: Log;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

/** Returns the job that deletes objects from the bucket once they hold nothing. */
export function collectObjectsJob({ collect, clock, log, pause }: CollectJobPorts): Job {
  return {
    name: "collect-objects",
    title: "Remove unused objects in S3",
    scope: "cluster",
    every: HOUR,
    timeLimit: HOUR,
    async run({ signal, clockTrusted }) {
      // The grace period would be wrong by as much as the clock.
      if (!clockTrusted) return;
      const collected = await collect(clock.now(), pauseUntilAborted(pause, signal));
      if (Object.values(collected).some((count) => count > 0)) log.info("collected objects", { ...collected });
    },
  };
}
