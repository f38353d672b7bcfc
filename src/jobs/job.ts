/** What a run of a job is told. */
export interface JobRun {
  /** Aborted when the run's time is over or the server stops. */
  readonly signal: AbortSignal;
  /** False shortly after the wall clock jumped: nothing should end because of the time. */
  readonly clockTrusted: boolean;
}

/** Work that comes up again and again. It picks what is due and calls a use case; it knows no rules of its own. */
export interface Job {
  readonly name: string;
  /** `cluster`: one node does it for all that share the store. `node`: each does it for itself. */
  readonly scope: "cluster" | "node";
  /** Milliseconds from the end of a run to the beginning of the next. */
  readonly every: number;
  /** Milliseconds after which a run counts as failed. */
  readonly timeLimit: number;
  run(run: JobRun): Promise<void>;
}

/** Calls `work` for each item, `width` of them at a time. A failing item stops no other: `failed` hears of it. */
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
