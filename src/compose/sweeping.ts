import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { systemClock } from "../adapters/clock.ts";
import { finishSweep } from "../domain/deployments/sweep.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import { SWEEP_INTERVAL, sweepJob } from "../jobs/sweep.ts";
import type { DataFolder } from "./data-folder.ts";

export interface Sweeping {
  /** Sweeps in the background, now and every hour. */
  start(): void;
  /** Resolves when no sweep runs any more. */
  stop(): Promise<void>;
}

/** Ends what an interrupted sweep left. Called before anybody can upload; sweeping itself begins with `start`. */
export function prepareSweeping(store: Store, folder: DataFolder, clock: Clock, log: Log): Sweeping {
  const blobs = openFilesystemBlobs(folder.content);
  finishSweep({ store, blobs });
  let stopped = false;
  const pause = async () => {
    await Bun.sleep(0);
    if (stopped) throw new Stopped();
  };
  const sweep = sweepJob({ store, blobs, pause, clock, fileClock: systemClock, elapsed: () => performance.now() });
  const round = async () => {
    try {
      await pause();
      const { unreferenced, strays, expired } = await sweep();
      if (unreferenced + strays + expired > 0) log.info("swept", { unreferenced, strays, expired });
    } catch (error) {
      if (!(error instanceof Stopped)) log.error("a sweep failed", error);
    }
  };

  let running = Promise.resolve();
  let timer: Timer | undefined;
  const next = () => {
    running = running.then(round);
  };
  return {
    start() {
      next();
      timer = setInterval(next, SWEEP_INTERVAL);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** The appliance stops in the middle of a sweep; the next start goes on. */
class Stopped extends Error {}
