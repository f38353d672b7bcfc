import { useEffect, useReducer } from "preact/hooks";
import { type ApiError, call } from "./client.ts";

/** What is known of something the API has: the last data stay while newer ones are asked for. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  /** Asks again; resolves when the answer, or the failure, is there. */
  reload(): Promise<void>;
  /** Puts in what an operation just answered, without asking again. */
  set(change: (data: T) => T): void;
}

interface Entry {
  data?: unknown;
  error?: ApiError | undefined;
  pending?: Promise<void> | undefined;
  readonly listeners: Set<() => void>;
}

const entries = new Map<string, Entry>();

/** Returns what GET `path` answers, shared by everybody who asks; null asks nothing. Asked anew with each mount. */
export function useResource<T>(path: string | null): Resource<T> {
  const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
  useEffect(() => {
    if (path === null) return;
    const { listeners } = entryOf(path);
    const listener = () => redraw(null);
    listeners.add(listener);
    void load(path);
    return () => {
      listeners.delete(listener);
    };
  }, [path]);
  const entry = path === null ? null : entryOf(path);
  return {
    data: entry?.data as T | undefined,
    error: entry?.error,
    reload: () => (path === null ? Promise.resolve() : load(path)),
    set(change) {
      if (entry?.data === undefined) return;
      entry.data = change(entry.data as T);
      tell(entry);
    },
  };
}

/** Asks again for everything that starts so and is on the page; what is not on the page is forgotten. */
export function refresh(prefix: string): void {
  for (const [path, entry] of entries) {
    if (!path.startsWith(prefix)) continue;
    if (entry.listeners.size === 0) entries.delete(path);
    else void load(path);
  }
}

function entryOf(path: string): Entry {
  let entry = entries.get(path);
  if (!entry) {
    entry = { listeners: new Set() };
    entries.set(path, entry);
  }
  return entry;
}

function load(path: string): Promise<void> {
  const entry = entryOf(path);
  entry.pending ??= call("GET", path)
    .then(
      (data) => {
        entry.data = data;
        entry.error = undefined;
      },
      (error: ApiError) => {
        entry.error = error;
      },
    )
    .finally(() => {
      entry.pending = undefined;
      tell(entry);
    });
  return entry.pending;
}

function tell(entry: Entry): void {
  for (const listener of entry.listeners) listener();
}
