import { useState } from "preact/hooks";

/** State that outlives a reload of the page, as long as the tab is open: what somebody typed is not lost. */
export function useKept<T>(key: string, start: T): [T, (value: T) => void] {
  const place = `vitrine.${key}`;
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(place);
    return kept === null ? start : (JSON.parse(kept) as T);
  });
  const keep = (next: T) => {
    if (next === start) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(next));
    setValue(next);
  };
  return [value, keep];
}

export function forgetKept(key: string): void {
  sessionStorage.removeItem(`vitrine.${key}`);
}

/** For whoever signs out: the next person at this window is told nothing of it. */
export function forgetAllKept(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("vitrine.")) sessionStorage.removeItem(key);
}
