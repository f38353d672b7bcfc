import { afterAll } from "bun:test";
import type { Browser, Request } from "playwright-core";
import { needing } from "../../testing/needing.ts";
import { isAvailable } from "../../testing/needs.ts";
import { openWindow, startChromium, unroute, type Window } from "./chromium.ts";
import { showNothing } from "./dashboard.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** What the stories of a test file about one server share. */
interface ServerStories<S> {
  readonly vitrine: S;
  /** A session token of the user ada. */
  readonly ada: string;
}

/** Starts a server for the stories of a test file, and stops it after the last one. */
export async function serverStories<S extends TestServer>(start: () => Promise<S>): Promise<ServerStories<S>>;
export async function serverStories(): Promise<ServerStories<TestServer>>;
export async function serverStories(start = () => startTestServer()): Promise<ServerStories<TestServer>> {
  const vitrine = await start();
  afterAll(() => vitrine[Symbol.asyncDispose]());
  const { token: ada } = await vitrine.signUp("ada");
  return { vitrine, ada };
}

type Runner = Pick<ReturnType<typeof needing>, "test" | "describe" | "beforeAll" | "afterAll">;

/** The same with a browser, and with the functions of `bun:test` for such stories. */
interface Stories<S> extends Runner, ServerStories<S> {
  readonly browser: Browser;
  /**
   * Opens a window in which the token's owner is signed in, by default ada; nobody with null. It closes with its test.
   */
  open(token?: string | null): Promise<Window>;
  /**
   * Returns a window that the stories of the file share, because opening one takes longer than most stories. Its user is
   * signed in, by default ada. Nothing is left of the story before, such as routes, input or messages, except what the
   * dashboard has loaded: so `show` shows its pages, and each story has its own site. Stories that replace the clock,
   * functions of the page or cookies need their own window.
   */
  share(token?: string): Promise<Window>;
}

/**
 * Starts a server and a browser for the stories of a test file, and stops them after the last one. The browser also
 * finds the server at vitrine.test. Without a browser nothing starts, and the stories are skipped.
 */
export async function browserStories<S extends TestServer>(start: () => Promise<S>): Promise<Stories<S>>;
export async function browserStories(): Promise<Stories<TestServer>>;
export async function browserStories(start = () => startTestServer()): Promise<Stories<TestServer>> {
  const { afterEach, ...runner } = needing("browser");
  if (!isAvailable("browser")) return runner as Partial<Stories<TestServer>> as Stories<TestServer>;
  const { vitrine, ada } = await serverStories(start);
  const address = `127.0.0.1:${vitrine.config.listen.port}`;
  const browser = await startChromium(`MAP vitrine.test ${address}, MAP *.vitrine.test ${address}`);
  const windows: Window[] = [];
  // Open pages would continue to send requests.
  afterEach(async () => {
    await Promise.all(windows.splice(0).map(({ context }) => context.close()));
  });
  runner.afterAll(() => browser.close());
  const open = async (token: string | null = ada) => {
    const window = await openWindow(browser, vitrine, token ?? undefined);
    windows.push(window);
    return window;
  };
  const shared = new Map<string, SharedWindow>();
  const share = async (token = ada) => {
    const window = shared.get(token) ?? new SharedWindow(await openWindow(browser, vitrine, token));
    shared.set(token, window);
    return window.clear();
  };
  return { ...runner, vitrine, browser, ada, open, share };
}

/** A window for one story after the other. */
class SharedWindow {
  readonly #running = new Set<Request>();

  constructor(private readonly window: Window) {
    const { page } = window;
    page.on("request", (request) => {
      // The stream of events stays open.
      if (!request.url().endsWith("/events")) this.#running.add(request);
    });
    page.on("requestfinished", (request) => this.#running.delete(request));
    page.on("requestfailed", (request) => this.#running.delete(request));
  }

  /** Removes what a story left behind. */
  async clear(): Promise<Window> {
    const { page, errors } = this.window;
    await unroute(page);
    if (page.url() !== "about:blank") {
      const dialog = page.getByRole("dialog");
      if ((await dialog.count()) > 0) await page.keyboard.press("Escape");
      await showNothing(page);
      await page.evaluate("sessionStorage.clear(); localStorage.clear()");
      await page.setViewportSize(SIZE);
      // A late failure would count as an error of the next story.
      const isQuiet = await this.#isQuietSoon();
      if (!isQuiet || (await dialog.count()) > 0) {
        await page.goto("about:blank");
        await showNothing(page);
      }
    }
    errors.length = 0;
    return this.window;
  }

  async #isQuietSoon(): Promise<boolean> {
    for (let look = 0; look < 100; look++) {
      if (this.#running.size === 0) return true;
      await this.window.page.waitForTimeout(10);
    }
    return false;
  }
}

/** The default of Playwright. */
const SIZE = { width: 1280, height: 720 };
