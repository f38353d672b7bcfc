import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { zipOf } from "./testing/archives.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

// A hosted site is the worst of neighbours: it belongs to the same registrable domain as the base address, so that the
// browser sends the dashboard's cookie along with what its pages ask for. Without HTTPS, which is the harder case.

const BASE = "http://vitrine.test";

const { test, beforeAll, vitrine, ada, open } = await browserStories(() => startTestServer({ "base-url": BASE }));

beforeAll(async () => {
  const mallory = (await vitrine.signUp("mallory")).token;
  await vitrine.deploy(mallory, await zipOf({ "index.html": "<h1>harmless</h1>" }), { site: "mallory" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "ada's" }), { site: "treasure" });
});

/** A window in which ada is signed in at the dashboard, and looks at mallory's site. */
async function lured(): Promise<Page> {
  const { page } = await open();
  await page.goto("http://mallory.vitrine.test/");
  return page;
}

/** Runs a script in the page; resolves with what it came to, as text. */
function tryInPage(page: Page, script: string): Promise<string> {
  return page.evaluate(`(async () => { ${script} })().then(String, (error) => "refused: " + error.name)`);
}

async function sitesOfAda(): Promise<string[]> {
  const response = await vitrine.call("GET", "/sites", { token: ada });
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
}

test("the cookie really goes along: without the Origin check the neighbour could act", async () => {
  const page = await lured();
  const answered = page.waitForResponse(`${BASE}/auth/me`);
  await tryInPage(page, `await fetch("${BASE}/auth/me", { mode: "no-cors", credentials: "include" })`);
  expect((await answered).status()).toBe(200);
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
])("a neighbour's script that %s is refused by the browser", async (_deed, script) => {
  expect(await tryInPage(await lured(), script)).toBe("refused: TypeError");
  expect(await sitesOfAda()).toEqual(["treasure"]);
});

test("an upload that needs no preflight is refused by the server", async () => {
  const page = await lured();
  const answered = page.waitForResponse(`${BASE}/deploy`);
  await tryInPage(
    page,
    `const body = new FormData(); body.set("file", new Blob(["x"]), "site.zip");
     await fetch("${BASE}/deploy", { method: "POST", mode: "no-cors", credentials: "include", body })`,
  );
  expect((await answered).status()).toBe(403);
  expect(await sitesOfAda()).toEqual(["treasure"]);
});

test.each([
  ["signs out", "/sign-out", {}],
  ["approves a device", "/device", { user_code: "BCDF-GHJK", verdict: "approved" }],
  ["signs in as somebody else", "/sign-in", { login: "mallory", password: "correct horse battery" }],
])("a neighbour's form that %s is refused, and the session stays", async (_deed, action, fields) => {
  const page = await lured();
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
  const form = `<form method="post" action="${BASE}${action}">${inputs.join("")}</form>`;
  const answered = page.waitForResponse(`${BASE}${action}`);
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(form)}; document.forms[0].submit()`);
  expect((await answered).status()).toBe(403);
  expect((await vitrine.call("GET", "/auth/me", { token: ada })).status).toBe(200);
});

test("nobody frames the dashboard, the sign-in page or the API", async () => {
  const page = await lured();
  for (const path of ["/", "/sign-in", "/device", "/auth/me", "/docs"]) {
    await page.setContent(`<iframe src="${BASE}${path}"></iframe>`, { waitUntil: "load" });
    expect(page.frames().map((frame) => frame.url())).toContain("chrome-error://chromewebdata/");
  }
});

test("an opened dashboard is out of reach", async () => {
  const page = await lured();
  const popup = page.waitForEvent("popup");
  await page.evaluate(`window.opened = window.open("${BASE}/"); null`);
  await (await popup).getByRole("link", { name: "treasure" }).waitFor();
  expect(await tryInPage(page, "return opened.document.body.innerHTML")).toBe("refused: SecurityError");
});

test("the session cookie is nothing that a script can read, at the base address either", async () => {
  const { page } = await open(null);
  await page.context().addCookies([{ name: "vitrine", value: ada, url: BASE, httpOnly: true }]);
  await page.goto("/");
  await page.getByRole("link", { name: "treasure" }).waitFor();
  expect(await page.evaluate<string>("document.cookie")).toBe("");
  await page.goto("http://mallory.vitrine.test/");
  expect(await page.evaluate<string>("document.cookie")).toBe("");
});

test("a cookie that a neighbour tosses at the base address makes nobody somebody else", async () => {
  const mallory = (await vitrine.signUp("mallory-2")).token;
  const page = await lured();
  await page.evaluate(`document.cookie = "vitrine=${mallory}; domain=vitrine.test; path=/"`);
  await page.goto("/auth/me");
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
});

test("names that a site, a file or a person can choose are text in the dashboard", async () => {
  const name = `<img src=x onerror="document.title='hit'">`;
  const archive = await zipOf({
    "index.html": "x",
    "404.html": "x",
    [`${name.replaceAll("/", "")}.html`]: "x",
    _redirects: `${name} 999\n`,
  });
  await vitrine.deploy(ada, archive, { site: "treasure" });
  await vitrine.call("POST", "/tokens", { token: ada, json: { site_name: "treasure", name } });
  const { page, complaints } = await open();
  await page.goto("/dashboard/sites/treasure");
  await page.getByRole("link", { name: "1 warning", exact: true }).click();
  await page.getByRole("dialog").getByText("onerror").last().waitFor();
  await page.goto("/dashboard/sites/treasure/tokens");
  await page.getByRole("heading", { name }).waitFor();
  expect(await page.title()).not.toBe("hit");
  expect(complaints).toEqual([]);
});
