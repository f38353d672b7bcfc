import { makeNotice } from "../parts/notice.ts";
import { isOwnChange } from "./client.ts";
import type { ServerEvent } from "./event-lines.ts";
import { LiveConnection } from "./live.ts";
import { findOutage, type Outage, onSettled, refreshMounted, refreshStale } from "./resource.ts";
import { isAffected, tellChanges } from "./server-events.ts";

/** Reload interval of a visible page without a connection to the event stream. */
const REFRESH_EVERY_MS = 15_000;
/** The same with one: for figures such as views, of which no event tells. */
const LIVE_REFRESH_EVERY_MS = 60_000;
/** Events that arrive together, as those of one change do, are answered by one reload. */
const GATHER_MS = 100;
/** Delays between retries while the server cannot be reached; the last one repeats. */
const RETRY_AFTER_MS = [1000, 2000, 4000, 8000, 15_000] as const;

let outage: Outage | null = null;
let retries = 0;
let retry: ReturnType<typeof setTimeout> | undefined;
const notice = makeNotice();

const live = new LiveConnection({
  connect: (lastId, signal) =>
    fetch("/events", { signal, cache: "no-store", headers: lastId === "" ? {} : { "Last-Event-ID": lastId } }),
  isHidden: () => document.hidden,
  later(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  changed: gather,
  // Finds out whether the server is away.
  lost: look,
});

/** Takes what somebody else changed, as sentences, before the page reloads it. */
type Tell = (changes: readonly string[]) => void;

/**
 * Keeps the page up to date, and retries failed loads: with the server's events, and by asking while there is no
 * connection to them.
 */
export function keepFresh(changedElsewhere: Tell): void {
  tell = changedElsewhere;
  onSettled(judge);
  // The first time soon: something may have changed after the page was loaded and before the stream began.
  let lookedAt = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    const isDue = !live.isOpen || performance.now() - lookedAt >= LIVE_REFRESH_EVERY_MS;
    if (outage !== null || !isDue) return;
    lookedAt = performance.now();
    look();
  }, REFRESH_EVERY_MS);
  document.addEventListener("visibilitychange", () => {
    live.update();
    look();
  });
  for (const event of ["focus", "online"]) addEventListener(event, look);
  // A page in the back/forward cache must not hold a connection.
  addEventListener("pagehide", () => live.close());
  live.update();
}

/** Returns the current outage, or null. A hook. */
export function useOutage(): Outage | null {
  notice.use();
  return outage;
}

/** Reloads everything on the page now. */
export function look(): void {
  if (!document.hidden) void refreshStale();
}

// --- internal ---

let tell: Tell = () => {};
let gathered: ServerEvent[] = [];

/** Reloads what the events are about, those of one moment together. */
function gather(events: readonly ServerEvent[]): void {
  if (gathered.length === 0) setTimeout(reloadGathered, GATHER_MS);
  gathered.push(...events);
}

function reloadGathered(): void {
  const events = gathered;
  gathered = [];
  if (!isOwnChange()) tell(tellChanges(events));
  void refreshMounted((path) => events.some((event) => isAffected(path, event)));
}

function judge(): void {
  const before = outage;
  outage = findOutage();
  if (outage?.since !== before?.since || (outage === null) !== (before === null)) notice.tell();
  if (outage !== null) retry ??= setTimeout(tryAgain, waitBefore(retries));
  else if (before !== null) recover();
}

function tryAgain(): void {
  retry = undefined;
  retries += 1;
  // A hidden page does not retry until it is visible.
  if (document.hidden) judge();
  else void refreshStale().then(judge);
}

/** Jitter, because all pages lose the connection at the same time. */
function waitBefore(retry: number): number {
  const wait = RETRY_AFTER_MS[Math.min(retry, RETRY_AFTER_MS.length - 1)] as number;
  return wait * (0.75 + Math.random() / 2);
}

function recover(): void {
  clearTimeout(retry);
  retry = undefined;
  retries = 0;
  live.retryNow();
  look();
}
