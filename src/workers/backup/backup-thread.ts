import { existsSync } from "node:fs";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { shiftedClock } from "../../clients/system/clock.ts";
import { reconcileBackups, workOnBackups } from "../../domain/backups/make.ts";
import { type BackupSchedule, nextWork } from "../../domain/backups/schedule.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock, Log } from "../../domain/ports/system.ts";
import { MINUTE, SECOND } from "../../domain/timestamp.ts";
import { openStorage } from "../../storage/open.ts";
import { workerEntry } from "../../worker-entries.ts";
import { BackgroundThread, type BackgroundWork } from "../background-thread.ts";
import { stderrLog } from "../log.ts";
import { backupSchedule, serverBackups } from "../ports/backups.ts";
import { type StorageTask, threadStorage } from "../ports/storage.ts";
import { lowerPriority } from "../priority.ts";
import type { Shared } from "../shared.ts";

/** The worker data of a backup thread. */
interface BackupTask extends StorageTask {
  readonly schedule: BackupSchedule;
}

/** Visitors have priority over backups. */
const LOW_PRIORITY = 10;

/**
 * Checks every second whether a backup is due or requested, and starts a thread for it, which ends when nothing is due.
 * The first thread also reads the existing backups, because a restored server does not know them. Without any backup
 * and schedule, none is started.
 */
export function backUpInBackground(
  { config, storage, contentMeters, clockShift }: Shared,
  { store, clock, log }: { readonly store: Pick<Store, "backups">; readonly clock: Clock; readonly log: Log },
): BackgroundWork {
  const schedule = backupSchedule(config);
  const task: BackupTask = { config, storage, contentMeters, clockShift, schedule };
  const startThread = () => new Worker(workerEntry("backup"), { workerData: task });
  const thread = new BackgroundThread(startThread, (error) => log.error("the thread of backups failed", error));
  let isFirst = true;

  const poll = async () => {
    // Failures of backups are recorded, and retried later. Those of the thread cannot be recorded.
    if (thread.isRunning || thread.isResting) return;
    const known = await store.backups.list();
    const mustRead = isFirst && (known.length > 0 || config.backupTo !== null || existsSync(schedule.to));
    if ((!mustRead && nextWork(known, schedule, clock.now()) === null) || thread.isRunning) return;
    isFirst = false;
    thread.start();
  };
  return {
    job: { name: "backups", title: "Make backups", scope: "cluster", every: SECOND, timeLimit: MINUTE, run: poll },
    stop: () => thread.stop(),
  };
}

/** Runs a backup thread: does all due work, then ends. */
export async function runBackupThread(): Promise<void> {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  const { schedule, ...task } = workerData as BackupTask;
  const { config } = task;
  const stopping = new AbortController();
  parentPort.once("message", () => stopping.abort(new Error("the server stops")));
  lowerPriority(LOW_PRIORITY);
  const { store, openContentReadOnly, close } = openStorage(threadStorage(task));
  const log = stderrLog(config.log, config.logLevel);
  const clock = shiftedClock(task.clockShift);
  const ports = { store, place: serverBackups(config, openContentReadOnly()), clock, log };
  try {
    await reconcileBackups(ports).catch((error) => log.warn("backups not read", { reason: messageOf(error) }));
    await workOnBackups({ ...ports, schedule, random: Math.random, signal: stopping.signal });
  } finally {
    close();
    parentPort.close();
  }
}
