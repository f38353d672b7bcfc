import { makeNotice } from "../parts/notice.ts";
import { findOutage, type Outage, onSettled, refreshStale } from "./resource.ts";

/** How often what is on the page is asked for again while somebody can see it. */
const REFRESH_EVERY_MS = 15_000;
/** Waits before the first, second, third … retry while the server cannot be reached; the last one goes on. */
const RETRY_AFTER_MS = [1000, 2000, 4000, 8000, 15_000] as const;

let outage: Outage | null = null;
let retries = 0;
let retry: ReturnType<typeof setTimeout> | undefined;
const notice = makeNotice();

/** Keeps what is on the page up to date, and asks again for what could not be loaded until it is there. */
export function keepFresh(): void {
  onSettled(judge);
  setInterval(() => {
    if (outage === null) look();
  }, REFRESH_EVERY_MS);
  document.addEventListener("visibilitychange", look);
  for (const event of ["focus", "online"]) addEventListener(event, look);
}

/** Returns the outage that the page suffers, or null; redraws the component when that changes. */
export function useOutage(): Outage | null {
  notice.use();
  return outage;
}

/** Asks for everything on the page now. */
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
  // A page that nobody sees waits for its turn.
  if (document.hidden) judge();
  else void refreshStale().then(judge);
}

/** Not all pages at once, which were cut off at once. */
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
