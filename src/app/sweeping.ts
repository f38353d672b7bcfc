import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Job } from "../jobs/job.ts";
import { sweepJob } from "../jobs/sweep.ts";
import { openFilesystemContent, upgradeContentFolder } from "../storage/content/filesystem/filesystem.ts";
import type { DataFolder } from "../storage/data-folder/data-folder.ts";
import { systemClock } from "./clock.ts";
import { systemTimers } from "./timers.ts";

/** Returns the job that sweeps. Called before anybody can upload. */
export function sweeping(store: Store, folder: DataFolder, clock: Clock, log: Log): Job {
  upgradeContentFolder(folder.content);
  const content = openFilesystemContent(folder.content);
  const clocks = { clock, fileClock: systemClock, timers: systemTimers };
  return sweepJob({ store, content, ...clocks, log, pause: () => Bun.sleep(0) });
}
