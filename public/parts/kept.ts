import { makeNotice } from "./notice.ts";

const notice = makeNotice();

/**
 * State that outlives a reload of the page, as long as the tab is open: what somebody typed is not lost. Whoever asks for
 * the same key shares it; a change is worked out from what it is by then.
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
    notice.tell();
  };
  return [read(), keep];
}

export function forgetKept(key: string): void {
  sessionStorage.removeItem(`vitrine.${key}`);
}

/** Forgets all entries whose keys start with this prefix. Signing out gives none, so that the next user sees nothing. */
export function forgetAllKept(start = ""): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(`vitrine.${start}`)) sessionStorage.removeItem(key);
}
