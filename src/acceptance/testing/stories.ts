import { afterAll } from "bun:test";
import type { Browser } from "playwright-core";
import { needing } from "../../testing/needing.ts";
import { isAvailable } from "../../testing/needs.ts";
import { openWindow, startChromium, type Window } from "./chromium.ts";
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
  return { ...runner, vitrine, browser, ada, open };
}
