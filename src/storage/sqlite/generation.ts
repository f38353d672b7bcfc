import type { Database } from "bun:sqlite";

/**
 * The delay after which another process's change is visible. Changes by threads of this process are visible at once.
 */
const OTHER_PROCESS_INTERVAL_MS = 5;

/**
 * Memory that the threads of a process share: first the stored generation, as known to them, which only increases; then
 * the tickets of `write-turns.ts`.
 */
export type GenerationCell = Int32Array;

export function newGenerationCell(): GenerationCell {
  return new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
}

/** Informs all threads of the process that the stored generation has reached `generation`. */
export function raiseGeneration(cell: GenerationCell, generation: number): void {
  for (;;) {
    const known = Atomics.load(cell, 0);
    if (known >= generation || Atomics.compareExchange(cell, 0, known, generation) === known) return;
  }
}

/**
 * Returns the `generation()` of a connection. Threads of this process share `cell` (an atomic read takes a few
 * nanoseconds). Changes by other processes, which are the operator's commands, are detected by `PRAGMA data_version`.
 * It takes 1.6 µs, so it is read only every few milliseconds, and the stored generation only if it has changed.
 */
export function watchGeneration(raw: Database, cell: GenerationCell): () => number {
  const dataVersion = raw.prepare("PRAGMA data_version");
  const stored = raw.prepare<{ value: number }, []>("SELECT value FROM meta WHERE key = 'generation'");
  let lastVersion = -1;

  const look = () => {
    const version = (dataVersion.get() as { data_version: number }).data_version;
    if (version === lastVersion) return;
    raiseGeneration(cell, stored.get()?.value ?? 0);
    // Only now: after a read that failed, the change must be looked for again.
    lastVersion = version;
  };

  // A timer, because reading the clock for every request costs ten times as much.
  let isFresh = false;
  const lookSometimes = () => {
    look();
    isFresh = true;
    const stale = setTimeout(() => {
      isFresh = false;
    }, OTHER_PROCESS_INTERVAL_MS);
    stale.unref();
  };

  return () => {
    if (!isFresh) lookSometimes();
    return Atomics.load(cell, 0);
  };
}
