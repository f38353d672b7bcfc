import { heapStats } from "bun:jsc";

/**
 * Returns by how many MiB the engine's heap grows while the result of `keep` is kept, after garbage collection. Memory of
 * the process would depend on what earlier tests left for reuse.
 */
export async function heldMebibytes(keep: () => unknown): Promise<number> {
  const before = await heap();
  const kept = await keep();
  const after = await heap();
  // Uses the value, so that it was not collected before.
  if (kept === before) throw new Error("it cannot be its own memory");
  return after - before;
}

async function heap(): Promise<number> {
  for (let collection = 0; collection < 3; collection++) {
    Bun.gc(true);
    await new Promise((done) => setImmediate(done));
  }
  const { heapSize, extraMemorySize } = heapStats();
  return (heapSize + extraMemorySize) / 1024 ** 2;
}
