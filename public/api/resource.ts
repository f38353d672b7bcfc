import { useEffect, useReducer } from "preact/hooks";
import { type ApiError, call, onRefusal } from "./client.ts";

/** What is known of something the API has: the last data stay while newer ones are asked for. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  /** Asks again; resolves when the answer, or the failure, is there. */
  reload(): Promise<void>;
  /** Puts in what an operation just answered. What is being asked meanwhile may be older, and is asked again. */
  set(change: (data: T) => T): void;
}

interface Entry {
  data?: unknown;
  error?: ApiError | undefined;
  pending?: Promise<void> | undefined;
  /** How often something was put in: an answer that was on its way meanwhile may be older. */
  changes: number;
  readonly listeners: Set<Listener>;
}

interface Listener extends Required<Options> {
  redraw(): void;
}

const entries = new Map<string, Entry>();

interface Options {
  /** For what never changes: asked for once. */
  readonly fixed?: boolean;
}

/** Returns what GET `path` answers, shared by everybody who asks. Asked anew with each mount. */
export function useResource<T>(path: string, { fixed = false }: Options = {}): Resource<T> {
  const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
  useEffect(() => {
    const asked = entryOf(path);
    const { listeners } = asked;
    const listener = { fixed, redraw: () => redraw(null) };
    listeners.add(listener);
    if (!fixed || asked.data === undefined) void (asked.pending ?? load(path));
    return () => {
      listeners.delete(listener);
    };
  }, [path, fixed]);
  const entry = entryOf(path);
  return {
    data: entry.data as T | undefined,
    error: entry.error,
    reload: () => load(path),
    set: (change) => put(path, change),
  };
}

/**
 * Asks again for everything that starts so and is on the page; what is not on the page is forgotten. Resolves when all
 * answers, or failures, are there.
 */
export async function refresh(prefix: string): Promise<void> {
  const loads: Promise<void>[] = [];
  for (const [path, entry] of entries) {
    if (!path.startsWith(prefix)) continue;
    if (entry.listeners.size === 0) entries.delete(path);
    else if (![...entry.listeners].every(({ fixed }) => fixed)) loads.push(load(path));
  }
  await Promise.all(loads);
}

onRefusal(() => refresh("/"));

function entryOf(path: string): Entry {
  let entry = entries.get(path);
  if (!entry) {
    entry = { changes: 0, listeners: new Set() };
    entries.set(path, entry);
  }
  return entry;
}

/** Into what is known by now: what was known when the operation began may have been forgotten meanwhile. */
function put<T>(path: string, change: (data: T) => T): void {
  const entry = entryOf(path);
  entry.changes += 1;
  if (entry.data === undefined) return;
  entry.data = change(entry.data as T);
  tell(entry);
}

/** Asks after whatever is still being asked: that answer may be older than the change one wants to see. */
function load(path: string): Promise<void> {
  const entry = entryOf(path);
  const asked = (entry.pending ?? Promise.resolve()).then(() => ask(path, entry));
  entry.pending = asked;
  return asked.finally(() => {
    if (entry.pending === asked) entry.pending = undefined;
    tell(entry);
  });
}

async function ask(path: string, entry: Entry): Promise<void> {
  const { changes } = entry;
  try {
    const data = await call("GET", path);
    if (changes !== entry.changes) return ask(path, entry);
    entry.data = data;
    entry.error = undefined;
  } catch (error) {
    entry.error = error as ApiError;
    if (entry.error.status === 404) lookForSite(path);
  }
}

/** Whose site has been deleted elsewhere meanwhile is told that, and not of each of its parts. */
function lookForSite(path: string): void {
  if (path.startsWith("/sites/") && entries.get("/sites")?.listeners.size) void load("/sites");
}

function tell(entry: Entry): void {
  for (const listener of entry.listeners) listener.redraw();
}
