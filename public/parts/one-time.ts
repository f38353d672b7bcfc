import { useEffect, useReducer } from "preact/hooks";

const shown = new Map<string, unknown>();
const listeners = new Set<() => void>();

/**
 * What the server tells once and never again: it stays until it is put away, whatever page is looked at meanwhile, also
 * when it comes after its page was left. In this window's memory alone: a reload forgets it.
 */
export function useOneTime<T>(key: string): [T | null, (value: T | null) => void] {
  const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
  useEffect(() => {
    const listener = () => redraw(null);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  const set = (value: T | null) => {
    if (value === null) shown.delete(key);
    else shown.set(key, value);
    for (const listener of listeners) listener();
  };
  return [(shown.get(key) as T | undefined) ?? null, set];
}
