import { deleteExpired } from "../domain/accounts/delete-expired.ts";
import { type SweepPorts, sweepContent } from "../domain/deployments/sweep.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { type Job, pauseUntilAborted } from "./job.ts";

/** Time between sweeps. No upload takes this long from its first written file to its publication. */
const INTERVAL = HOUR;

/** Recently published content is kept although nothing refers to it: its site may be deployed again soon. */
const PUBLISHED_GRACE = HOUR;

/** Condemned content is deleted by the next sweep, when reads that were running are finished. */
const CONDEMNED_GRACE = 30 * MINUTE;

/** File times come from a clock that ticks every few milliseconds. */
const FILE_TIME_TICK = SECOND;

interface SweepJobPorts extends SweepPorts {
  readonly store: SweepPorts["store"] & Parameters<typeof deleteExpired>[0];
  readonly clock: Clock;
  /** The clock of the times at which content was written. */
  readonly contentClock: Clock;
  readonly timers: Pick<Timers, "elapsed">;
  readonly log: Log;
  /** Whether other servers write to the content store. */
  readonly isShared: boolean;
}

/**
 * Deletes unreferenced content and expired records. The job is created before any upload: content that was
 * written earlier was left by a crash. Later sweeps keep content written since the previous one, also when the wall
 * clock was set back meanwhile and that content has an earlier time than the sweep.
 */
export function sweepJob(ports: SweepJobPorts): Job {
  const { store, clock, contentClock, timers, log } = ports;
  // Uploads to other servers may have begun before this one started.
  const latestOf = (fileTime: number) => (ports.isShared ? fileTime - INTERVAL : fileTime);
  let last = { fileTime: contentClock.now(), elapsed: timers.elapsed() };
  return {
    name: "sweep",
    title: "Sweep unused content",
    scope: "cluster",
    every: INTERVAL,
    timeLimit: HOUR,
    async run({ signal, clockTrusted }) {
      const pause = pauseUntilAborted(ports.pause, signal);
      const now = clock.now();
      const here = { fileTime: contentClock.now(), elapsed: timers.elapsed() };
      const earliest = Math.min(last.fileTime, here.fileTime - (here.elapsed - last.elapsed), latestOf(here.fileTime));
      const writtenBefore = clockTrusted ? earliest - FILE_TIME_TICK : Number.NEGATIVE_INFINITY;
      const [publishedBefore, condemnedBefore] = [now - PUBLISHED_GRACE, now - CONDEMNED_GRACE];
      const times = { now, publishedBefore, condemnedBefore, writtenBefore };
      const { condemned, deleted, strays } = await sweepContent({ ...ports, pause }, times);
      const expired = clockTrusted ? await deleteExpired(store, now) : 0;
      last = here;
      if (condemned + deleted + strays + expired > 0) log.info("swept", { condemned, deleted, strays, expired });
    },
  };
}
