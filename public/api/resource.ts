import { useEffect, useReducer } from "preact/hooks";
import { type ApiError, call, isUnreachable, onRefusal } from "./client.ts";

/** What is known of something the API has: the last data stay while newer ones are asked for. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  /** How often it has been answered: data that did not change stay the same object. */
  readonly loads: number;
  /** Asks again; resolves when the answer, or the failure, is there. */
  reload(): Promise<void>;
  /** Puts in what an operation just answered. What is being asked meanwhile may be older, and is asked again. */
  set(change: (data: T) => T): void;
}

interface Entry {
  data?: unknown;
  error?: ApiError | undefined;
  pending?: Promise<void> | undefined;
  /** When it was last answered, in milliseconds of the browser's clock. */
  answeredAt: number | null;
  loads: number;
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
    loads: entry.loads,
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
    if (!isShown(entry)) entries.delete(path);
    else if (!isKnownForGood(entry)) loads.push(load(path));
  }
  await Promise.all(loads);
}

onRefusal(() => refresh("/"));

/**
 * Asks again for everything on the page that is not being asked for: it may have been changed elsewhere. What never
 * changes is asked for only where it is missing.
 */
export async function refreshStale(): Promise<void> {
  const stale = [...entries].filter(([, entry]) => isShown(entry) && !entry.pending && !isKnownForGood(entry));
  await Promise.all(stale.map(([path]) => load(path)));
}

/** What is on the page could not be asked for: `since` is when the oldest of it was last answered, null for never. */
export interface Outage {
  readonly since: number | null;
}

/** Returns the outage that the page suffers, or null while the server answers. */
export function findOutage(): Outage | null {
  const cut = [...entries.values()].filter(
    ({ error, listeners }) => listeners.size > 0 && error && isUnreachable(error),
  );
  if (cut.length === 0) return null;
  const times = cut.flatMap(({ answeredAt }) => answeredAt ?? []);
  return { since: times.length === 0 ? null : Math.min(...times) };
}

let settled: () => void = () => {};

/** Has `listener` called whenever an answer, or a failure, has come. */
export function onSettled(listener: () => void): void {
  settled = listener;
}

function isShown({ listeners }: Entry): boolean {
  return listeners.size > 0;
}

function isKnownForGood({ data, listeners }: Entry): boolean {
  return data !== undefined && [...listeners].every(({ fixed }) => fixed);
}

function entryOf(path: string): Entry {
  let entry = entries.get(path);
  if (!entry) {
    entry = { changes: 0, loads: 0, answeredAt: null, listeners: new Set() };
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

/** Longer than any answer takes: a connection that went silent would be waited for without end. */
const ANSWER_WITHIN_MS = 30_000;

/** Asks after whatever is still being asked: that answer may be older than the change one wants to see. */
function load(path: string): Promise<void> {
  const entry = entryOf(path);
  const asked = (entry.pending ?? Promise.resolve()).then(() => ask(path, entry));
  entry.pending = asked;
  return asked.finally(() => {
    if (entry.pending === asked) entry.pending = undefined;
    tell(entry);
    settled();
  });
}

async function ask(path: string, entry: Entry): Promise<void> {
  const { changes } = entry;
  try {
    const data = await call("GET", path, undefined, AbortSignal.timeout(ANSWER_WITHIN_MS));
    if (changes !== entry.changes) return ask(path, entry);
    if (JSON.stringify(data) !== JSON.stringify(entry.data)) entry.data = data;
    entry.loads += 1;
    entry.answeredAt = Date.now();
    entry.error = undefined;
  } catch (error) {
    const refusal = error as ApiError;
    // Too many calls: what is known stays until the next look.
    if (refusal.status === 429 && entry.data !== undefined) return;
    entry.error = refusal;
    if (refusal.status === 404) lookForSite(path);
  }
}

/** Whose site has been deleted elsewhere meanwhile is told that, and not of each of its parts. */
function lookForSite(path: string): void {
  if (path.startsWith("/sites/") && entries.get("/sites")?.listeners.size) void load("/sites");
}

function tell(entry: Entry): void {
  for (const listener of entry.listeners) listener.redraw();
}
