import { isOwnChange } from "./client.ts";
import type { ServerEvent } from "./event-lines.ts";
import { LiveConnection } from "./live.ts";
import { makeNotice } from "./notice.ts";
import { findOutage, type Outage, onSettled, refreshMounted, refreshStale } from "./resource.ts";
import { describeChanges, isAffected } from "./server-events.ts";

/** Reload interval of a visible page without a connection to the event stream. */
const REFRESH_EVERY_MS = 15_000;
/** Reload interval with a connection, for figures such as views, for which there are no events. */
const LIVE_REFRESH_EVERY_MS = 60_000;
/** Events that arrive together, such as those of one change, cause one reload. */
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
  // Detects whether the server is unreachable.
  lost: reloadPage,
});

/** Announces changes by others, as sentences, before the page reloads. */
type AnnounceChanges = (changes: readonly string[]) => void;

/**
 * Keeps the page up to date, and retries failed loads: with the server's events, and by polling while there is no
 * connection to them.
 */
export function keepFresh(changedElsewhere: AnnounceChanges): void {
  announceChanges = changedElsewhere;
  onSettled(updateOutage);
  // The first reload comes soon, because something may have changed between the load of the page and the start of the
  // stream.
  let reloadedAt = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    const isDue = !live.isOpen || performance.now() - reloadedAt >= LIVE_REFRESH_EVERY_MS;
    if (outage !== null || !isDue) return;
    reloadedAt = performance.now();
    reloadPage();
  }, REFRESH_EVERY_MS);
  document.addEventListener("visibilitychange", () => {
    live.update();
    reloadPage();
  });
  for (const event of ["focus", "online"]) addEventListener(event, reloadPage);
  // A page in the back/forward cache must not hold a connection.
  addEventListener("pagehide", () => live.close());
  live.update();
}

/** Returns the current outage, or null. A hook. */
export function useOutage(): Outage | null {
  notice.use();
  return outage;
}

/** Reloads everything on the page. */
export function reloadPage(): void {
  if (!document.hidden) void refreshStale();
}

// --- internal ---

let announceChanges: AnnounceChanges = () => {};
let gathered: ServerEvent[] = [];
/** Whether this page made one of them. Decided on arrival, because the timer of a busy page may be late. */
let areOwn = false;

/** Reloads the data that the events affect, with those that arrive at the same time. */
function gather(events: readonly ServerEvent[]): void {
  if (gathered.length === 0) setTimeout(reloadGathered, GATHER_MS);
  gathered.push(...events);
  areOwn ||= isOwnChange();
}

function reloadGathered(): void {
  const events = gathered;
  gathered = [];
  if (!areOwn) announceChanges(describeChanges(events));
  areOwn = false;
  void refreshMounted((path) => events.some((event) => isAffected(path, event)));
}

function updateOutage(): void {
  const before = outage;
  outage = findOutage();
  if (outage?.since !== before?.since || (outage === null) !== (before === null)) notice.notify();
  if (outage !== null) retry ??= setTimeout(tryAgain, waitBefore(retries));
  else if (before !== null) recover();
}

function tryAgain(): void {
  retry = undefined;
  retries += 1;
  // A hidden page does not retry until it is visible.
  if (document.hidden) updateOutage();
  else void refreshStale().then(updateOutage);
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
  reloadPage();
}
