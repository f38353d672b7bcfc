import { useEffect } from "preact/hooks";

/** Calls `run` later. Returns a function that prevents it. */
type Later = (milliseconds: number, run: () => void) => () => void;

/** Reloads while `active`, so that the page follows what the server is doing. A hook. */
export function useReloads(active: boolean, reload: () => Promise<unknown>, pause: number): void {
  useEffect(() => (active ? repeat(reload, pause) : undefined), [active]);
}

/**
 * Calls `reload`, `pause` milliseconds after the start and after each response, so that requests to a slow server do not
 * accumulate. Returns a function that ends it.
 */
export function repeat(reload: () => Promise<unknown>, pause: number, later: Later = byTimer): () => void {
  let ended = false;
  let cancel = later(pause, next);
  async function next(): Promise<void> {
    await reload();
    if (!ended) cancel = later(pause, next);
  }
  return () => {
    ended = true;
    cancel();
  };
}

// --- internal ---

function byTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
