import type { HeldLease } from "../domain/ports/store/jobs.ts";

export interface JobRun {
  /** Aborted when the time limit is over or the server stops. */
  readonly signal: AbortSignal;
  /** The lease of a cluster job; null for jobs of the node. Writes that could do harm when late must name it. */
  readonly lease: HeldLease | null;
  /** False shortly after the wall clock jumped. Nothing may expire then. */
  readonly clockTrusted: boolean;
}

/** Recurring work. A job selects what is due and calls a use case; it contains no rules. */
export interface Job {
  readonly name: string;
  /** What it does, for operators, such as `Renew certificates`. */
  readonly title: string;
  /** `cluster`: one node does it for all that share the store. `node`: each does it for itself. */
  readonly scope: "cluster" | "node";
  /** Milliseconds from the end of a run to the start of the next. */
  readonly every: number;
  /** Milliseconds after which a run counts as failed. */
  readonly timeLimit: number;
  run(run: JobRun): Promise<void>;
}

/** Returns the pause, which throws once the signal is aborted. Work that takes long awaits it between two steps. */
export function pauseUntilAborted(pause: () => Promise<void>, signal: AbortSignal): () => Promise<void> {
  return async () => {
    await pause();
    signal.throwIfAborted();
  };
}

/** Calls `work` for each item, `width` at a time. An error is passed to `failed` and does not affect other items. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
  failed: (item: T, error: unknown) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const takeTurns = async () => {
    for (const item of rest) {
      if (signal.aborted) return;
      await work(item).catch((error) => failed(item, error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, takeTurns));
}
