import { makeNotice } from "../api/notice.ts";

const notice = makeNotice();

/**
 * State that survives a reload while the tab is open, so that typed text is not lost. Components with
 * the same key share it; updates are computed from its current value.
 */
export function useKept<T>(key: string, start: T): [T, (change: T | ((now: T) => T)) => void] {
  notice.use();
  const place = `vitrine.${key}`;
  const read = (): T => {
    const kept = sessionStorage.getItem(place);
    return kept === null ? start : (JSON.parse(kept) as T);
  };
  const keep = (change: T | ((now: T) => T)) => {
    const next = change instanceof Function ? change(read()) : change;
    if (next === start) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(next));
    notice.notify();
  };
  return [read(), keep];
}

export function forgetKept(key: string): void {
  sessionStorage.removeItem(`vitrine.${key}`);
}

/** Removes all entries whose keys begin with the prefix. Signing out removes all of them. */
export function forgetAllKept(start = ""): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(`vitrine.${start}`)) sessionStorage.removeItem(key);
}
