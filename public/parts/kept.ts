import { useEffect, useReducer } from "preact/hooks";

const listeners = new Set<() => void>();

/**
 * State that outlives a reload of the page, as long as the tab is open: what somebody typed is not lost. Whoever asks for
 * the same key shares it; a change is worked out from what it is by then.
 */
export function useKept<T>(key: string, start: T): [T, (change: T | ((now: T) => T)) => void] {
  const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
  useEffect(() => {
    const listener = () => redraw(null);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  const place = `vitrine.${key}`;
  const read = (): T => {
    const kept = sessionStorage.getItem(place);
    return kept === null ? start : (JSON.parse(kept) as T);
  };
  const keep = (change: T | ((now: T) => T)) => {
    const next = change instanceof Function ? change(read()) : change;
    if (next === start) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(next));
    for (const listener of listeners) listener();
  };
  return [read(), keep];
}

export function forgetKept(key: string): void {
  sessionStorage.removeItem(`vitrine.${key}`);
}

/** For whoever signs out: the next person at this window is told nothing of it. */
export function forgetAllKept(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("vitrine.")) sessionStorage.removeItem(key);
}
