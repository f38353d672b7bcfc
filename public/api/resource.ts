import { useEffect, useReducer } from "preact/hooks";
import { type ApiError, call, isUnreachable, onRefusal } from "./client.ts";

/** The state of an API resource. Data stay while they are reloaded. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  /** The number of responses. Unchanged data stay the same object. */
  readonly loads: number;
  /** Reloads; resolves after the response or failure. */
  reload(): Promise<void>;
  /** Sets the result of an operation. A load that is in flight may be older and is repeated. */
  set(change: (data: T) => T): void;
}

interface Entry {
  data?: unknown;
  error?: ApiError | undefined;
  pending?: Promise<void> | undefined;
  /** When it was last loaded, in milliseconds of the browser's clock. */
  loadedAt: number | null;
  loads: number;
  /** The number of calls of `set`, to detect responses that may be older. */
  changes: number;
  readonly listeners: Set<Listener>;
}

interface Listener extends Required<Omit<Options, "when">> {
  redraw(): void;
}

const entries = new Map<string, Entry>();

interface Options {
  /** For immutable resources: loaded once. */
  readonly fixed?: boolean;
  /** For resources that are expensive for the server: the milliseconds after which a refresh loads it again. */
  readonly every?: number;
  /** False to load it later. */
  readonly when?: boolean;
}

/** Returns the resource at `path`, shared by all components. Each mount reloads it. */
export function useResource<T>(path: string, { fixed = false, every = 0, when = true }: Options = {}): Resource<T> {
  const [, redraw] = useReducer((count: number, _told: null) => count + 1, 0);
  useEffect(() => {
    if (!when) return;
    const requested = entryOf(path);
    const { listeners } = requested;
    const listener = { fixed, every, redraw: () => redraw(null) };
    listeners.add(listener);
    if (!fixed || requested.data === undefined) void (requested.pending ?? load(path));
    return () => {
      listeners.delete(listener);
    };
  }, [path, fixed, every, when]);
  const entry = entryOf(path);
  return {
    data: entry.data as T | undefined,
    error: entry.error,
    loads: entry.loads,
    reload: () => load(path),
    set: (change) => put(path, change),
  };
}

/**
 * Reloads all mounted resources whose path begins with `prefix`, and drops the others. Resolves when all
 * responses or failures have arrived.
 */
export async function refresh(prefix: string): Promise<void> {
  const loads: Promise<void>[] = [];
  for (const [path, entry] of entries) {
    if (!path.startsWith(prefix)) continue;
    if (!isShown(entry)) entries.delete(path);
    else if (!isImmutable(entry)) loads.push(load(path));
  }
  await Promise.all(loads);
}

onRefusal(() => refresh("/"));

/**
 * Reloads all mounted resources that are not loading, because they may have changed elsewhere. Immutable
 * resources are loaded only if missing.
 */
export async function refreshStale(): Promise<void> {
  const stale = [...entries].filter(
    ([, entry]) => isShown(entry) && !entry.pending && !isImmutable(entry) && !isRecent(entry),
  );
  await Promise.all(stale.map(([path]) => load(path)));
}

/** Reloads the selected mounted resources, also those that are loading. Others are reloaded when they are mounted. */
export async function refreshMounted(isMeant: (path: string) => boolean): Promise<void> {
  const meant = [...entries].filter(([path, entry]) => isMeant(path) && isShown(entry) && !isImmutable(entry));
  await Promise.all(meant.map(([path]) => load(path)));
}

/** A failure to reach the server; `since` is when the oldest data were loaded, null for never. */
export interface Outage {
  readonly since: number | null;
}

/** Returns the current outage, or null while the server responds. */
export function findOutage(): Outage | null {
  const cut = [...entries.values()].filter(
    ({ error, listeners }) => listeners.size > 0 && error && isUnreachable(error),
  );
  if (cut.length === 0) return null;
  const times = cut.flatMap(({ loadedAt }) => loadedAt ?? []);
  return { since: times.length === 0 ? null : Math.min(...times) };
}

let settled: () => void = () => {};

/** Calls `listener` after every response or failure. */
export function onSettled(listener: () => void): void {
  settled = listener;
}

function isShown({ listeners }: Entry): boolean {
  return listeners.size > 0;
}

function isImmutable({ data, listeners }: Entry): boolean {
  return data !== undefined && [...listeners].every(({ fixed }) => fixed);
}

/** Returns whether it was loaded so recently that no component needs it again, without an error. */
function isRecent({ data, error, loadedAt, listeners }: Entry): boolean {
  if (data === undefined || error !== undefined || loadedAt === null) return false;
  const age = Date.now() - loadedAt;
  return [...listeners].every(({ every }) => age < every);
}

function entryOf(path: string): Entry {
  let entry = entries.get(path);
  if (!entry) {
    entry = { changes: 0, loads: 0, loadedAt: null, listeners: new Set() };
    entries.set(path, entry);
  }
  return entry;
}

/** Uses the current entry, because the one at the start of the operation may have been dropped. */
function put<T>(path: string, change: (data: T) => T): void {
  const entry = entryOf(path);
  entry.changes += 1;
  if (entry.data === undefined) return;
  entry.data = change(entry.data as T);
  notifyListeners(entry);
}

/** Longer than any response takes; without a limit a dead connection would hang forever. */
const RESPONSE_WITHIN_MS = 30_000;

/** Reloads after a load in flight, whose response may be older than the change. */
function load(path: string): Promise<void> {
  const entry = entryOf(path);
  const requested = (entry.pending ?? Promise.resolve()).then(() => ask(path, entry));
  entry.pending = requested;
  return requested.finally(() => {
    if (entry.pending === requested) entry.pending = undefined;
    notifyListeners(entry);
    settled();
  });
}

async function ask(path: string, entry: Entry): Promise<void> {
  const { changes } = entry;
  try {
    const data = await call("GET", path, undefined, AbortSignal.timeout(RESPONSE_WITHIN_MS));
    if (changes !== entry.changes) return ask(path, entry);
    if (JSON.stringify(data) !== JSON.stringify(entry.data)) entry.data = data;
    entry.loads += 1;
    entry.loadedAt = Date.now();
    entry.error = undefined;
  } catch (error) {
    const refusal = error as ApiError;
    // Too many requests: keep the data until the next reload.
    if (refusal.status === 429 && entry.data !== undefined) return;
    entry.error = refusal;
    if (refusal.status === 404) checkSiteExists(path);
  }
}

/** If the site was deleted elsewhere, reports that once instead of for each of its parts. */
function checkSiteExists(path: string): void {
  if (path.startsWith("/sites/") && entries.get("/sites")?.listeners.size) void load("/sites");
}

function notifyListeners(entry: Entry): void {
  for (const listener of entry.listeners) listener.redraw();
}
