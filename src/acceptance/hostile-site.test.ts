import { expect } from "bun:test";
import type { Page, Response } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { openWindow, type Window } from "./testing/chromium.ts";
import { show } from "./testing/dashboard.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

// Tests attacks by a hosted site. It has the same registrable domain as the base URL, so the browser sends the
// dashboard's cookie with requests of its pages. It uses plain HTTP, which is the harder case.

const BASE = "http://vitrine.test";

const { test, beforeAll, vitrine, ada, browser } = await browserStories(() => startTestServer({ "base-url": BASE }));

/** The window in which ada is signed in at the dashboard and visits mallory's site. It closes with the browser. */
let attack: Window;

beforeAll(async () => {
  const mallory = (await vitrine.signUp("mallory")).token;
  await vitrine.deploy(mallory, await zipOf({ "index.html": "<h1>harmless</h1>" }), { site: "mallory" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "ada's" }), { site: "treasure" });
  attack = await openWindow(browser, vitrine, ada);
});

/** Loads mallory's site in its window. */
async function visitMallory(): Promise<Page> {
  await attack.page.goto("http://mallory.vitrine.test/");
  return attack.page;
}

/** Sends a form that the page contains. Returns the response, once it is shown. */
async function submitForm(page: Page, action: string, fields: Record<string, string>): Promise<Response> {
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
  const form = `<form method="post" action="${action}">${inputs.join("")}</form>`;
  const answered = page.waitForResponse(action);
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(form)}; document.forms[0].submit()`);
  await page.waitForURL(action);
  return answered;
}

/** Runs a script in the page. Resolves with its result as text. */
function tryInPage(page: Page, script: string): Promise<string> {
  return page.evaluate(`(async () => { ${script} })().then(String, (error) => "refused: " + error.name)`);
}

async function sitesOfAda(): Promise<string[]> {
  const response = await vitrine.call("GET", "/sites", { token: ada });
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
}

test("the cookie is really sent, so without the Origin check the site could act for ada", async () => {
  const page = await visitMallory();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const sent = new Promise((resolve) => {
    devtools.once("Network.requestWillBeSentExtraInfo", ({ headers }) => resolve(headers.Cookie));
  });
  await tryInPage(page, `await fetch("${BASE}/auth/me", { mode: "no-cors", credentials: "include" })`);
  expect(await sent).toBe(`vitrine=${ada}`);
});

test.each([
  ["GET", "/"],
  ["GET", "/sites"],
  ["HEAD", "/sign-in"],
  ["GET", "/docs"],
  ["GET", "/nothing-here"],
  ["POST", "/deploy"],
  ["TRACE", "/"],
  ["GET", `/${"x".repeat(9000)}`],
  ["GET", "/.vitrine/logo"],
  ["GET", "/.well-known/acme-challenge/none"],
])("%s %p at the base host is closed to pages of other origins", async (method, path) => {
  const { headers } = await vitrine.call(method, path);
  const fields = ["cross-origin-resource-policy", "cross-origin-opener-policy"].map((name) => headers.get(name));
  expect(fields).toEqual(["same-origin", "same-origin"]);
});

test("a prefetch does not tell a site who its visitor is", async () => {
  const page = await visitMallory();
  const outcomes = ["/auth/me", "/sites", "/sites/treasure/access", "/sites/none/access", "/sign-in"].map((path) =>
    tryInPage(
      page,
      `return new Promise((tell) => {
         const link = document.createElement("link");
         Object.assign(link, { rel: "prefetch", href: "${BASE}${path}", onload: () => tell("load"), onerror: () => tell("error") });
         document.head.append(link);
       })`,
    ),
  );
  expect([...new Set(await Promise.all(outcomes))]).toEqual(["error"]);
});

test.each([
  ["reads the list of sites", `return (await fetch("${BASE}/sites", { credentials: "include" })).text()`],
  [
    "deletes a site",
    `return (await fetch("${BASE}/sites/treasure", { method: "DELETE", credentials: "include" })).status`,
  ],
  [
    "sends JSON",
    `return (await fetch("${BASE}/tokens", { method: "POST", credentials: "include",
       headers: { "Content-Type": "application/json" }, body: '{"site_name":"treasure"}' })).text()`,
  ],
])("the browser refuses a site's script that %s", async (_deed, script) => {
  expect(await tryInPage(await visitMallory(), script)).toBe("refused: TypeError");
  expect(await sitesOfAda()).toEqual(["treasure"]);
});

test("the server refuses an upload that needs no preflight", async () => {
  const script = `const body = new FormData(); body.set("file", new Blob(["x"]), "site.zip");
    await fetch("${BASE}/deploy", { method: "POST", mode: "no-cors", credentials: "include", body })`;
  expect(await tryInPage(await visitMallory(), script)).toBe("refused: TypeError");
  expect(await sitesOfAda()).toEqual(["treasure"]);
});

test.each([
  ["signs out", "/sign-out", {}],
  ["approves a device", "/device", { user_code: "BCDF-GHJK", verdict: "approved" }],
  ["signs in as somebody else", "/sign-in", { login: "mallory", password: "correct horse battery" }],
])("a site's form that %s is refused, and the session stays", async (_deed, action, fields) => {
  const response = await submitForm(await visitMallory(), `${BASE}${action}`, fields);
  expect(response.status()).toBe(403);
  expect((await vitrine.call("GET", "/auth/me", { token: ada })).status).toBe(200);
});

test("dashboard, sign-in page and API cannot be framed", async () => {
  const page = await visitMallory();
  const paths = ["/", "/sign-in", "/device", "/auth/me", "/docs"];
  await page.setContent(paths.map((path) => `<iframe src="${BASE}${path}"></iframe>`).join(""));
  // A frame may load before its URL is known here.
  const refused = () => page.frames().filter((frame) => frame.url() === "chrome-error://chromewebdata/");
  while (refused().length < paths.length) await page.waitForTimeout(20);
});

test("a window with the dashboard cannot be controlled by its opener", async () => {
  const page = await visitMallory();
  const popup = page.waitForEvent("popup");
  await page.evaluate(`window.opened = window.open("${BASE}/"); null`);
  const dashboard = await popup;
  await dashboard.getByRole("link", { name: "treasure" }).waitFor();
  expect(await tryInPage(page, "return opened.document.body.innerHTML")).toBe("refused: SecurityError");
  await dashboard.close();
});

test("names of sites, files and users are shown as text in the dashboard", async () => {
  const name = `<img src=x onerror="document.title='hit'">`;
  const archive = await zipOf({
    "index.html": "x",
    "404.html": "x",
    [`${name.replaceAll("/", "")}.html`]: "x",
    _redirects: `${name} 999\n`,
  });
  await vitrine.deploy(ada, archive, { site: "treasure" });
  await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "treasure", name } });
  const { page, errors } = attack;
  errors.length = 0;
  await page.goto("/dashboard/sites/treasure");
  await page.getByRole("link", { name: "1 warning", exact: true }).click();
  await page.getByRole("dialog").getByText("onerror").first().waitFor();
  await show(page, "/dashboard/sites/treasure/tokens");
  await page.getByRole("heading", { name }).waitFor();
  expect(await page.title()).not.toBe("hit");
  // The browser says that the policy has no effect over plain HTTP.
  expect(errors.filter((error) => !error.includes("Cross-Origin-Opener-Policy"))).toEqual([]);
});

test("a site's form cannot enter a password of a private site, and the site's own form can", async () => {
  const { token } = await vitrine.signUp("grace");
  await vitrine.deploy(token, await zipOf({ "index.html": "<h1>vault</h1>" }), { site: "vault", access: "private" });
  const json = { label: "client", kind: "password", password: "correct horse" };
  const created = await vitrine.call("POST", "/sites/vault/shares", { token, json });
  const { url } = (await created.json()) as { url: string };
  const page = await visitMallory();
  const response = await submitForm(page, url, { password: "correct horse" });
  expect(response.status()).toBe(403);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Open the site" }).click();
  await page.getByRole("heading", { name: "vault" }).waitFor();
});

// Last, because it changes the cookies of the window.
test("a cookie that a site sets for the base URL does not change who is signed in", async () => {
  const mallory = (await vitrine.signUp("mallory-2")).token;
  const page = await visitMallory();
  await page.evaluate(`document.cookie = "vitrine=${mallory}; domain=vitrine.test; path=/"`);
  await page.goto("/auth/me");
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
});
