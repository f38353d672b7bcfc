import { forgetExpired } from "../domain/accounts/forget-expired.ts";
import { type SweepPorts, sweepContent } from "../domain/deployments/sweep.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Between two sweeps. No upload takes this long from its first written file to its publication. */
const INTERVAL = HOUR;

/** Content published so recently is spared although nothing refers to it: its site may be deployed again right away. */
const PUBLISHED_GRACE = HOUR;

/** Condemned content is deleted by the next sweep, so that whatever was being read when it was condemned is done. */
const CONDEMNED_GRACE = 30 * MINUTE;

/** Files get their time from a clock that ticks every few milliseconds. */
const FILE_TIME_TICK = SECOND;

interface SweepJobPorts extends Omit<SweepPorts, "pause"> {
  readonly store: SweepPorts["store"] &
    Pick<
      Store,
      "sessions" | "visits" | "deviceCodes" | "signInAttempts" | "accountLinks" | "rateLimits" | "sites" | "users"
    >;
  readonly clock: Clock;
  /** The clock from which files have their times. */
  readonly fileClock: Clock;
  readonly timers: Pick<Timers, "elapsed">;
  readonly log: Log;
  /** Resolves when whatever else waits had its turn. */
  readonly pause: () => Promise<void>;
}

/**
 * Removes content that nothing refers to, and what expired. The job is made before anybody can upload: whatever was
 * written earlier was left by a crash. Later sweeps spare what was written since the one before, also when the wall
 * clock jumped ahead or was set back meanwhile: then what was written since has an earlier time than that sweep.
 */
export function sweepJob(ports: SweepJobPorts): Job {
  const { store, clock, fileClock, timers, log } = ports;
  let last = { fileTime: fileClock.now(), elapsed: timers.elapsed() };
  return {
    name: "sweep",
    scope: "cluster",
    every: INTERVAL,
    timeLimit: HOUR,
    async run({ signal, clockTrusted }) {
      const pause = async () => {
        await ports.pause();
        signal.throwIfAborted();
      };
      const now = clock.now();
      const here = { fileTime: fileClock.now(), elapsed: timers.elapsed() };
      const earliest = Math.min(last.fileTime, here.fileTime - (here.elapsed - last.elapsed));
      const writtenBefore = clockTrusted ? earliest - FILE_TIME_TICK : Number.NEGATIVE_INFINITY;
      const [publishedBefore, condemnedBefore] = [now - PUBLISHED_GRACE, now - CONDEMNED_GRACE];
      const times = { now, publishedBefore, condemnedBefore, writtenBefore };
      const { condemned, deleted, strays } = await sweepContent({ ...ports, pause }, times);
      const expired = clockTrusted ? await forgetExpired(store, now) : 0;
      last = here;
      if (condemned + deleted + strays + expired > 0) log.info("swept", { condemned, deleted, strays, expired });
    },
  };
}
