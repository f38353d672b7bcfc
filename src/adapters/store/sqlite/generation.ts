import type { Database } from "bun:sqlite";

/** How long another process's change may go unseen; changes of this process's threads are seen at once. */
const OTHER_PROCESS_INTERVAL = 5;

/** A counter that all threads of the process share, raised by whoever changes what visitors get. */
export type GenerationCell = Int32Array;

export function newGenerationCell(): GenerationCell {
  return new Int32Array(new SharedArrayBuffer(4));
}

/**
 * Returns the `generation()` of a connection. Threads of this process tell each other through `cell` (an atomic read,
 * a few nanoseconds). Other processes, which are the operator's commands, are noticed through `PRAGMA data_version`:
 * at 1.6 µs it is asked only every few milliseconds, and only when it moved is the stored generation read.
 */
export function watchGeneration(raw: Database, cell: GenerationCell): () => number {
  const dataVersion = raw.prepare("PRAGMA data_version");
  const stored = raw.prepare<{ value: number }, []>("SELECT value FROM meta WHERE key = 'generation'");
  let lastLook = 0;
  let lastVersion = -1;
  let lastStored = 0;
  let seenFromOutside = 0;

  const look = () => {
    const version = (dataVersion.get() as { data_version: number }).data_version;
    if (version === lastVersion) return;
    lastVersion = version;
    const value = stored.get()?.value ?? 0;
    if (value !== lastStored) seenFromOutside++;
    lastStored = value;
  };

  return () => {
    const now = performance.now();
    if (now - lastLook >= OTHER_PROCESS_INTERVAL) {
      lastLook = now;
      look();
    }
    return Atomics.load(cell, 0) + seenFromOutside;
  };
}
