import { SECOND } from "../domain/timestamp.ts";

/** The interval at which a thread's CPU time is read. */
const SAMPLE_INTERVAL_MS = 10 * SECOND;
/** A thread is idle if it used less CPU time than this since the last sample; its timers take a few milliseconds. */
const IDLE_MS = 50;
/** Less CPU time than this leaves too little garbage for a collection. */
const MIN_WORK_MS = SECOND;

/**
 * Collects this thread's garbage each time it becomes idle after work. By itself the engine
 * collects only when it allocates, so that the garbage of a busy hour would stay through a quiet night. A request
 * at that moment waits: 16 ms, measured with a heap of 28 MB and fifteen thousand deployments.
 */
export function collectWhenIdle(): void {
  const work = new WorkAndRest();
  const sample = () => {
    const { user, system } = process.threadCpuUsage();
    if (work.hasEnded((user + system) / 1000)) Bun.gc(true);
  };
  setInterval(sample, SAMPLE_INTERVAL_MS).unref();
}

/** Detects from a thread's CPU time when it becomes idle after work. */
export class WorkAndRest {
  #seen = 0;
  #rested = 0;

  /** Takes the total CPU time in milliseconds; returns true once for each idle period after work. */
  hasEnded(used: number): boolean {
    const isAtRest = used - this.#seen < IDLE_MS;
    this.#seen = used;
    if (!isAtRest || used - this.#rested < MIN_WORK_MS) return false;
    this.#rested = used;
    return true;
  }
}
