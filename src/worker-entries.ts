import { join } from "node:path";

/**
 * Returns the entry file of a worker thread. It is found from here, the root of the sources, because `import.meta.url`
 * of every module in the executable is that of the root.
 */
export function workerEntry(name: "serve" | "publish" | "encode" | "backup"): URL {
  return new URL(`./workers/${name}/entry.ts`, import.meta.url);
}

/** Returns the command that starts this program once more: the executable, or the runtime with the checkout's program. */
export function ownCommand(): readonly string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath];
  return [process.execPath, join(import.meta.dir, "main.ts")];
}
