import { type PurgePorts, purgeContent } from "../domain/deployments/purge.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import { HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { type Job, pauseUntilAborted } from "./job.ts";

/** Longer than any upload takes from its first written file to its publication. */
const REMEMBERED = 2 * HOUR;

interface PurgeJobPorts extends PurgePorts {
  readonly clock: Clock;
  /** The clock of the times at which content was written. */
  readonly contentClock: Clock;
  readonly log: Log;
}

/** Returns the job that deletes the content of deleted deployments. */
export function purgeJob({ store, content, clock, contentClock, log, pause }: PurgeJobPorts): Job {
  return {
    name: "purge",
    title: "Delete content of deleted deployments",
    scope: "cluster",
    every: 15 * SECOND,
    timeLimit: 10 * MINUTE,
    async run({ signal, clockTrusted }) {
      const now = clock.now();
      const ports = { store, content, pause: pauseUntilAborted(pause, signal) };
      const contents = await purgeContent(ports, now, contentClock.now() - now);
      if (clockTrusted) await store.contents.deletePurges(now - REMEMBERED);
      if (contents > 0) log.info("content of deleted deployments was deleted", { contents });
    },
  };
}
