import type { Browser } from "playwright-core";
import { needing } from "../../testing/needing.ts";
import { isThere } from "../../testing/needs.ts";
import { openWindow, startChromium, type Window } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

type Runner = Pick<ReturnType<typeof needing>, "test" | "describe" | "beforeAll" | "afterAll">;

/** What the stories of a test file share, with the functions of `bun:test` for them. */
export interface Stories<S> extends Runner {
  readonly vitrine: S;
  readonly browser: Browser;
  /** A session token of ada, who has an account. */
  readonly ada: string;
  /** Opens a window in which the token's owner is signed in, by default ada, or nobody. It closes with its test. */
  open(token?: string | null): Promise<Window>;
}

/**
 * Starts a server and a browser for the stories of a test file, and stops them after the last one. The browser finds
 * the server at vitrine.test as well. Without a browser nothing starts, and the stories are skipped.
 */
export async function browserStories<S extends TestServer>(start: () => Promise<S>): Promise<Stories<S>>;
export async function browserStories(): Promise<Stories<TestServer>>;
export async function browserStories(start = () => startTestServer({ workers: "1" })): Promise<Stories<TestServer>> {
  const { afterEach, ...runner } = needing("browser");
  if (!isThere("browser")) return runner as Partial<Stories<TestServer>> as Stories<TestServer>;
  const vitrine = await start();
  const address = `127.0.0.1:${vitrine.config.listen.port}`;
  const browser = await startChromium(`MAP vitrine.test ${address}, MAP *.vitrine.test ${address}`);
  const { token: ada } = await vitrine.signUp("ada");
  const windows: Window[] = [];
  // Pages that stay open go on asking the server.
  afterEach(async () => {
    await Promise.all(windows.splice(0).map(({ context }) => context.close()));
  });
  runner.afterAll(async () => {
    await browser.close();
    await vitrine[Symbol.asyncDispose]();
  });
  const open = async (token: string | null = ada) => {
    const window = await openWindow(browser, vitrine, token ?? undefined);
    windows.push(window);
    return window;
  };
  return { ...runner, vitrine, browser, ada, open };
}
