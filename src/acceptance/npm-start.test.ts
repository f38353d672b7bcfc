import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../testing/free-port.ts";
import { Browser } from "./testing/browser.ts";
import { run, scratchFolder } from "./testing/executable.ts";
import { npmStart, passwordIn } from "./testing/npm-start.ts";

const folder = scratchFolder();
afterAll(() => folder[Symbol.dispose]());

const dataDir = join(folder.path, "data");
const port = freePort();
const baseUrl = `http://localhost:${port}`;
const next = `npm start -- --listen 127.0.0.1:${port + 1}`;

const start = (...flags: string[]) =>
  npmStart(folder.path, "--listen", `127.0.0.1:${port}`, "--data-dir", "data", ...flags);

const signIn = (browser: Browser, password: string) =>
  browser.submit("/sign-in", { login: "demo", password }).then(({ status }) => status);

const example = () => new Browser(`http://welcome.localhost:${port}`).get("/").then(({ status }) => status);

test("an address that another program uses is named before anything is created", async () => {
  using _ = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } });
  await using refused = await start();
  expect([refused.printed(), refused.status]).toEqual([
    `Another program uses 127.0.0.1:${port}. Start on another port: ${next}\n`,
    1,
  ]);
  expect(existsSync(dataDir)).toBe(false);
});

// The next tests share a data folder, because each start of a server takes seconds.

let unread = "";

test("the first start creates a user and the example site, and a second one beside it says what runs where", async () => {
  await using first = await start();
  unread = passwordIn(first.printed());
  const welcome = `http://welcome.localhost:${port}   the example site`;
  expect(first.printed()).toContain(
    `\n  Vitrine is running. Open\n\n    ${welcome}\n    ${baseUrl}           the dashboard\n`,
  );
  expect(await example()).toBe(200);
  await using second = await start();
  expect([second.printed(), second.status]).toEqual([
    `Vitrine is running already, with the data in data (${baseUrl} answers). Start another one: ${next} --data-dir data-2\n`,
    1,
  ]);
  // Requests are not logged.
  expect(first.printed().trim()).toEndWith("Ctrl-C stops it.");
});

test("each start prints a new password until its user, an operator, has signed in", async () => {
  const browser = new Browser(baseUrl);
  await using again = await start();
  expect(await signIn(browser, unread)).toBe(401);
  expect(await signIn(browser, passwordIn(again.printed()))).toBe(200);
  expect(await (await browser.get("/auth/me", { Accept: "*/*" })).json()).toMatchObject({
    login: "demo",
    operator: true,
  });
  const sessions = await browser.get("/auth/sessions", { Accept: "*/*" });
  expect(await sessions.json()).toHaveLength(1);
  const session = await run(["users", "session", "demo", "--data-dir", dataDir]);
  const env = { VITRINE_SERVER: baseUrl, VITRINE_TOKEN: session.stdout.trim() };
  expect((await run(["sites", "delete", "welcome", "--yes"], { env })).status).toBe(0);
});

test("afterwards the password stays, a missing example is deployed again, and --verbose logs requests", async () => {
  const later = await start("--verbose");
  expect(later.printed()).toContain(
    "Sign in as demo. If you forgot the password: dist/vitrine users passwd demo --data-dir data\n",
  );
  expect(await example()).toBe(200);
  await later[Symbol.asyncDispose]();
  expect(later.printed()).toMatch(/ GET welcome\.localhost:\d+ \/ 200 /);
});

test("without its user it neither adds one nor deploys the example", async () => {
  await run(["users", "add", "ada", "--data-dir", dataDir]);
  await run(["users", "remove", "demo", "--with-sites", "--data-dir", dataDir]);
  await using later = await start();
  expect(later.printed()).toContain(
    "Sign in with your account. All accounts: dist/vitrine users list --data-dir data\n",
  );
  expect(later.printed()).not.toContain("the example site");
});
