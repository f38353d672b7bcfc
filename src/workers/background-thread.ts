import type { Worker } from "node:worker_threads";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "../jobs/job.ts";

/** Time to finish the current file when the server stops. Interrupted work is repeated later. */
const STOP_TIMEOUT_MS = 2 * SECOND;

/** Time before another start after a failure, whose cause, such as a full disk, may last. */
const REST_MS = MINUTE;

/** Work that is done in a thread. */
export interface BackgroundWork {
  /** Starts a thread if there is work, and none is running. */
  readonly job: Job;
  /** Resolves when the thread has ended. */
  stop(): Promise<void>;
}

/** A thread that is started when there is work and ends when there is none. It does not keep the process running. */
export class BackgroundThread {
  #thread: Worker | null = null;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(
    readonly open: () => Worker,
    readonly failed: (error: unknown) => void,
    /** Returns the milliseconds since an arbitrary moment. */
    readonly elapsed: () => number = () => performance.now(),
  ) {}

  get isRunning(): boolean {
    return this.#thread !== null;
  }

  /** True for a while after a failure. */
  get isResting(): boolean {
    return this.elapsed() < this.#restsUntil;
  }

  /** Starts the thread, which must not be running. */
  start(): void {
    const thread = this.open();
    this.#thread = thread;
    thread.on("error", (error) => {
      this.#restsUntil = this.elapsed() + REST_MS;
      this.failed(error);
    });
    thread.on("exit", () => {
      this.#thread = null;
    });
    thread.unref();
  }

  /** Resolves when the thread has ended. After two seconds it is terminated. */
  async stop(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    thread.postMessage("stop");
    await Promise.race([ended, Bun.sleep(STOP_TIMEOUT_MS)]);
    await thread.terminate();
  }
}
