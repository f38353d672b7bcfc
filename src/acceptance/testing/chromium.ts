import { type Browser, type BrowserContext, chromium, type Page, type Route } from "playwright-core";
import { findBrowser } from "../../testing/needs.ts";
import type { TestServer } from "./test-server.ts";

/**
 * Starts Chromium. Tests that use it need a "browser". Names below localhost resolve to the loopback address. `rules`
 * are resolver rules for others, such as `MAP *.vitrine.test 127.0.0.1:8080`.
 */
export function startChromium(rules: string | null = null): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  return chromium.launch({
    executablePath: findBrowser() ?? "chromium",
    timeout: PATIENCE_MS,
    // In the C locale it cannot read files below a folder whose name is not ASCII.
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    args: [
      "--no-sandbox",
      // Only then are the CPU times of pages in those of the browser, which `npm test` reports.
      "--no-zygote",
      "--disable-gpu",
      "--disable-quic",
      ...quiet,
      ...(rules ? [`--host-resolver-rules=${rules}`] : []),
    ],
  });
}

/** A window with its own cookies, and the errors of its pages. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Exceptions, blocked content and failed loads of the pages. */
  readonly errors: string[];
}

/**
 * Runs in the page before its scripts. What a page of the dashboard does by itself after eight seconds or more never
 * happens: a reload, the check of a domain, the end of a message. Else a story on a busy machine would depend on which
 * comes first. `page.clock.install()` replaces the timers for stories about it.
 */
const WITHOUT_LONG_TIMERS = `for (const name of ["setTimeout", "setInterval"]) {
  const start = globalThis[name];
  globalThis[name] = (run, delay, ...rest) => (delay >= 8000 ? 0 : start(run, delay, ...rest));
}
AbortSignal.timeout = () => new AbortController().signal;`;

/** The limit of each step, because other tests may slow the machine. No test waits for it to expire. */
export const PATIENCE_MS = 120_000;

/** Opens a window whose base URL is the server. With a token, a user is signed in. */
export async function openWindow(browser: Browser, { baseUrl }: TestServer, token?: string): Promise<Window> {
  const context = await browser.newContext({ baseURL: baseUrl, reducedMotion: "reduce" });
  if (token !== undefined) await context.addCookies([{ name: "vitrine", value: token, url: baseUrl }]);
  await context.addInitScript(WITHOUT_LONG_TIMERS);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { context, page, errors };
}

/** Runs in the page, whose globals have no types on the server's side. */
const DROP = `(contents) => {
  const dataTransfer = new DataTransfer();
  for (const [name, base64] of contents) {
    dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], name));
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}`;

/** Drops files onto the page. They exist in memory only. */
export async function dropFiles(page: Page, files: DroppedFiles): Promise<void> {
  await page.evaluate(dropping(files));
}

/** Drops files onto every page that is opened from now on, as soon as its heading appears. */
export async function dropOnLoad(page: Page, files: DroppedFiles): Promise<void> {
  await page.addInitScript(`new MutationObserver((_changes, observer) => {
    if (!document.querySelector("main h1")) return;
    observer.disconnect();
    ${dropping(files)};
  }).observe(document, { childList: true, subtree: true })`);
}

type DroppedFiles = Record<string, Uint8Array | string>;

function dropping(files: DroppedFiles): string {
  const contents = Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString("base64")]);
  return `(${DROP})(${JSON.stringify(contents)})`;
}

/** Drags files or folders of the disk onto the middle of the page, as a file manager does. */
export async function dragPaths(page: Page, paths: readonly string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  }
}

/**
 * Watches for elements that a selector matches, even if they disappear at once. Resolves to a function that resolves
 * when one with the text was there. The page must stay.
 */
export async function watchFor(page: Page, selector: string, text: string): Promise<() => Promise<void>> {
  const seen = await page.evaluateHandle(`({
    promise: new Promise((resolve) => {
      const look = () => {
        const found = [...document.querySelectorAll(${JSON.stringify(selector)})];
        if (found.some(({ textContent }) => textContent.includes(${JSON.stringify(text)}))) resolve();
      };
      new MutationObserver(look).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
      look();
    }),
  })`);
  return () => seen.evaluate(({ promise }) => promise);
}

/** What ends the delays of a page, whether or not there was a request. */
const delays = new WeakMap<Page, (() => void)[]>();

/** Removes all routes of a page. Requests that are still delayed continue. */
export async function unroute(page: Page): Promise<void> {
  for (const end of delays.get(page) ?? []) end();
  delays.delete(page);
  await page.unrouteAll({ behavior: "ignoreErrors" });
}

interface Held {
  /** Resolves when the request was sent. */
  readonly arrived: Promise<void>;
  release(): Promise<void>;
}

/**
 * Delays the first request of a method to a URL. With `answered`, the server processes it first, and the response
 * is delayed.
 */
export async function hold(page: Page, url: string, method: string, { answered = false } = {}): Promise<Held> {
  const arrived = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let isFirst = true;
  delays.set(page, [...(delays.get(page) ?? []), held.resolve]);
  await page.route(url, async (route: Route) => {
    if (route.request().method() !== method || !isFirst) return route.continue();
    isFirst = false;
    const response = answered ? await route.fetch() : null;
    arrived.resolve();
    await held.promise;
    await (response ? route.fulfill({ response }) : route.continue()).catch(() => {});
    gone.resolve();
  });
  return {
    arrived: arrived.promise,
    release() {
      held.resolve();
      return gone.promise;
    },
  };
}
