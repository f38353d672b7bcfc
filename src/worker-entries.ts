/**
 * Returns the entry file of a worker thread. It is found from here, the root of the sources, because `import.meta.url`
 * of every module in the executable is that of the root.
 */
export function workerEntry(name: "serve" | "publish" | "encode"): URL {
  return new URL(`./workers/${name}/entry.ts`, import.meta.url);
}
