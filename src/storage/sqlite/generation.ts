import type { Database } from "bun:sqlite";

/** How long another process's change may go unseen; changes of this process's threads are seen at once. */
const OTHER_PROCESS_INTERVAL = 5;

/** The stored generation as far as any thread of the process knows it. It only ever rises. */
export type GenerationCell = Int32Array;

export function newGenerationCell(): GenerationCell {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Tells all threads of the process that the stored generation has reached `generation`. */
export function raiseGeneration(cell: GenerationCell, generation: number): void {
  for (;;) {
    const known = Atomics.load(cell, 0);
    if (known >= generation || Atomics.compareExchange(cell, 0, known, generation) === known) return;
  }
}

/**
 * Returns the `generation()` of a connection. Threads of this process tell each other through `cell` (an atomic read,
 * a few nanoseconds). Other processes, which are the operator's commands, are noticed through `PRAGMA data_version`:
 * at 1.6 µs it is asked only every few milliseconds, and only when it moved is the stored generation read.
 */
export function watchGeneration(raw: Database, cell: GenerationCell): () => number {
  const dataVersion = raw.prepare("PRAGMA data_version");
  const stored = raw.prepare<{ value: number }, []>("SELECT value FROM meta WHERE key = 'generation'");
  let lastVersion = -1;

  const look = () => {
    const version = (dataVersion.get() as { data_version: number }).data_version;
    if (version === lastVersion) return;
    lastVersion = version;
    raiseGeneration(cell, stored.get()?.value ?? 0);
  };

  // A timer for every few milliseconds of traffic: to read the clock for every request is ten times as much.
  let isFresh = false;
  const lookSometimes = () => {
    look();
    isFresh = true;
    const stale = setTimeout(() => {
      isFresh = false;
    }, OTHER_PROCESS_INTERVAL);
    stale.unref();
  };

  return () => {
    if (!isFresh) lookSometimes();
    return Atomics.load(cell, 0);
  };
}
