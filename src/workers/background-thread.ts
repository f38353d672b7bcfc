import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { systemTimers } from "../clients/system/timers.ts";
import { type Timers, withDeadline } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "../jobs/job.ts";

/**
 * Time to finish the current file when the server stops. Interrupted work is repeated later. A thread of the lowest
 * priority may need minutes for it on a busy machine, longer than service managers wait.
 */
const STOP_LIMIT_MS = 2 * SECOND;

/** Time before another start after a failure, whose cause, such as a full disk, may last. */
const REST_MS = MINUTE;

/** Work that is done in a thread. */
export interface BackgroundWork {
  /** Starts a thread if there is work, and none is running. */
  readonly job: Job;
  /** Asks the thread to end, and resolves when it has ended, or after two seconds. */
  stop(): Promise<void>;
}

/** A thread that is started when there is work and ends when there is none. It does not keep the process running. */
export class BackgroundThread {
  #thread: Worker | null = null;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(
    readonly open: () => Worker,
    readonly failed: (error: unknown) => void,
    readonly timers: Timers = runningTimers,
  ) {}

  get isRunning(): boolean {
    return this.#thread !== null;
  }

  /** True for a while after a failure. */
  get isResting(): boolean {
    return this.timers.elapsed() < this.#restsUntil;
  }

  /** Starts the thread, which must not be running. */
  start(): void {
    const thread = this.open();
    this.#thread = thread;
    thread.on("error", (error) => {
      this.#restsUntil = this.timers.elapsed() + REST_MS;
      this.failed(error);
    });
    thread.on("exit", () => {
      this.#thread = null;
    });
    thread.unref();
  }

  /**
   * Asks the thread to end, and resolves when it has ended, or after two seconds. A late thread is not terminated: the
   * process could not exit before a terminated thread had ended, but it exits with a running one, and that ends it.
   */
  async stop(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    thread.postMessage("stop");
    const ended = (signal: AbortSignal) => once(thread, "exit", { signal });
    // Rejects at the limit, and if the thread fails, which `start` reports.
    await withDeadline(this.timers, STOP_LIMIT_MS, undefined, ended).catch(() => {});
  }
}

// --- internal ---

/** Waiting keeps the process running, because the thread does not, and the server has more to do after it. */
const runningTimers: Timers = {
  ...systemTimers,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => {}),
};
