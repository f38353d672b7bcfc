/** Returns by how many MiB the process grows while it keeps the result of `keep`, after garbage collection. */
export async function heldMebibytes(keep: () => unknown): Promise<number> {
  const before = await resident();
  const kept = await keep();
  const after = await resident();
  // Uses the value, so that it was not collected before.
  if (kept === before) throw new Error("it cannot be its own memory");
  return after - before;
}

async function resident(): Promise<number> {
  for (let collection = 0; collection < 3; collection++) {
    Bun.gc(true);
    await new Promise((done) => setImmediate(done));
  }
  return process.memoryUsage.rss() / 1024 ** 2;
}
