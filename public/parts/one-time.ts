import { useEffect, useReducer } from "preact/hooks";
import type { Resource } from "../api/resource.ts";

const shown = new Map<string, unknown>();
const listeners = new Set<() => void>();

interface Told {
  readonly id: string;
}

/**
 * What the server tells once and never again: it stays until it is put away, whatever page is looked at meanwhile, also
 * when it comes after its page was left. In this window's memory alone: a reload forgets it. Null once the list has it no
 * more, because it was removed elsewhere; a list that cannot be loaded hides nothing.
 */
export function useOneTime<T extends Told>(
  key: string,
  list: Resource<readonly Told[]>,
): [T | null, (value: T | null) => void] {
  const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
  useEffect(() => {
    const listener = () => redraw(null);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  const told = shown.get(key) as T | undefined;
  const isThere = list.error !== undefined || list.data?.some(({ id }) => id === told?.id) === true;
  return [told !== undefined && isThere ? told : null, (value) => keep(key, value)];
}

/** For whoever deletes what it belongs to: a new one of that name has none of its secrets. */
export function forgetOneTime(key: string): void {
  keep(key, null);
}

function keep(key: string, value: unknown): void {
  if (value === null) shown.delete(key);
  else shown.set(key, value);
  for (const listener of listeners) listener();
}
