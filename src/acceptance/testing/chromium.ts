import { type Browser, type BrowserContext, chromium, type Page, type Route } from "playwright-core";
import { findBrowser } from "../../testing/needs.ts";
import type { TestServer } from "./test-server.ts";

/**
 * Starts the machine's own Chromium: tests that do need a "browser". Names below localhost lead to the loopback address by themselves; `rules` say
 * where others lead, such as `MAP *.vitrine.test 127.0.0.1:8080`.
 */
export function startChromium(rules: string | null = null): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  return chromium.launch({
    executablePath: findBrowser() ?? "chromium",
    timeout: 120_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      ...quiet,
      ...(rules ? [`--host-resolver-rules=${rules}`] : []),
    ],
  });
}

/** A window of its own, with what went wrong in it. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Everything that the pages complained about: exceptions, blocked content, failed loads. */
  readonly complaints: readonly string[];
}

/** Opens a window whose addresses start at the server; with a token, somebody is signed in already. */
export async function openWindow(browser: Browser, { baseUrl }: TestServer, token?: string): Promise<Window> {
  const context = await browser.newContext({ baseURL: baseUrl, reducedMotion: "reduce" });
  if (token !== undefined) await context.addCookies([{ name: "vitrine", value: token, url: baseUrl }]);
  const page = await context.newPage();
  // Long, because the machine may be busy with other tests; nothing waits for it to run out.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { context, page, complaints };
}

/** Runs in the page, whose globals the types of the server's side do not know. */
const DROP = `(contents) => {
  const dataTransfer = new DataTransfer();
  for (const [name, base64] of contents) {
    dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], name));
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}`;

/** Drops files that exist nowhere onto the page. */
export async function dropFiles(page: Page, files: DroppedFiles): Promise<void> {
  await page.evaluate(dropping(files));
}

/** Drops files onto every page that is opened from now on, in the moment in which its heading appears. */
export async function dropAtOnce(page: Page, files: DroppedFiles): Promise<void> {
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

/** Drags files or folders of the disk onto the middle of the page, the way a file manager does. */
export async function dragPaths(page: Page, paths: readonly string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  }
}

export interface Held {
  /** Resolves when the request is on its way. */
  readonly arrived: Promise<void>;
  release(): Promise<void>;
}

/** Holds back the first request of a method to an address; `answered` once the server has done it already. */
export async function hold(page: Page, url: string, method: string, { answered = false } = {}): Promise<Held> {
  const arrived = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let isFirst = true;
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
