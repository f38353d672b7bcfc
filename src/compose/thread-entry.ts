/**
 * Returns where the code of a worker thread is found: `src/threads/NAME.ts`, from a checkout and in the executable.
 * There every entry point is a bundle of its own, and this module is a part of that of `main.ts`, one folder higher.
 */
export function threadEntry(name: string): URL {
  const fromSource = import.meta.path.endsWith("/compose/thread-entry.ts");
  return new URL(`${fromSource ? ".." : "."}/threads/${name}.ts`, import.meta.url);
}
