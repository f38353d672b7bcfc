import { makeNotice } from "../parts/notice.ts";
import { findOutage, type Outage, onSettled, refreshStale } from "./resource.ts";

/** Reload interval of a visible page. */
const REFRESH_EVERY_MS = 15_000;
/** Delays between retries while the server cannot be reached; the last one repeats. */
const RETRY_AFTER_MS = [1000, 2000, 4000, 8000, 15_000] as const;

let outage: Outage | null = null;
let retries = 0;
let retry: ReturnType<typeof setTimeout> | undefined;
const notice = makeNotice();

/** Keeps the page up to date, and retries failed loads. */
export function keepFresh(): void {
  onSettled(judge);
  setInterval(() => {
    if (outage === null) look();
  }, REFRESH_EVERY_MS);
  document.addEventListener("visibilitychange", look);
  for (const event of ["focus", "online"]) addEventListener(event, look);
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
  look();
}
