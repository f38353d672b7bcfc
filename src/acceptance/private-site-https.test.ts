import { expect } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { PATIENCE_MS, startChromium } from "./testing/chromium.ts";
import { scratchFolder } from "./testing/executable.ts";
import { manualCertificate } from "./testing/manual-certificate.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const { afterAll, beforeAll, test } = needing("browser");

// Names outside localhost, so that the browser treats every host as it would on the Internet.
const BASE = "vitrine.test";
const CUSTOM = "www.diary.example";
const SECRET = "the secret diary";

const folder = scratchFolder();
let server: TestServer;
let browser: Browser;
let token: string;
let port: number;

beforeAll(async () => {
  port = freePort();
  server = await startTestServer({
    listen: `127.0.0.1:${port}`,
    "base-url": `https://${BASE}:${port}`,
    "sites-domain": BASE,
    ...(await manualCertificate(folder.path, BASE, `*.${BASE}`, CUSTOM)),
    "routing-targets": "A:127.0.0.1",
    "dns-resolvers": "127.0.0.1:1",
  });
  browser = await startChromium("MAP * 127.0.0.1");
  token = (await server.signUp("alice")).token;
  for (const login of ["bob", "carol"]) await addLocalAccount(server, login);
  await deployDiary();
  await connectCustomDomain();
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, Host: `${BASE}:${port}`, ...(init.headers as object) };
  const tls = { rejectUnauthorized: false };
  return fetch(`https://127.0.0.1:${port}${path}`, { ...init, method, headers, tls } as RequestInit);
}

async function deployDiary(): Promise<void> {
  const page = `<title>Diary</title><h1>${SECRET}</h1><img id="photo" src="/photo.svg" alt="">`;
  const photo = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>';
  const body = new FormData();
  const archive = await zipOf({ "index.html": page, "notes.html": `<h1>${SECRET}: notes</h1>`, "photo.svg": photo });
  body.set("file", new Blob([archive as Uint8Array<ArrayBuffer>]), "site.zip");
  const headers = { "X-Service-Site": "diary", "X-Service-Access": "private" };
  expect((await call("POST", "/deploy", { body, headers })).status).toBe(201);
  const json = { body: '{"provider_login":"bob"}', headers: { "Content-Type": "application/json" } };
  expect((await call("POST", "/sites/diary/access/readers", json)).status).toBe(201);
}

/** Stores the result of verification and routing, which other tests cover. */
async function connectCustomDomain(): Promise<void> {
  const json = { body: `{"hostname":"${CUSTOM}"}`, headers: { "Content-Type": "application/json" } };
  const claimed = await call("POST", "/sites/diary/domains", json);
  const { id } = (await claimed.json()) as { id: number };
  const claim = await server.store.claims.find(id);
  if (!claim) throw new Error("the claim is gone");
  const now = server.clock.now();
  const routed = { status: "verified", verifiedAt: now, routeStatus: "routed", routeGeneration: 1 } as const;
  expect(await server.store.claims.save([{ ...claim, ...routed, nextCheckAt: null }], server.clock.now())).toBe(
    "saved",
  );
}

const at = (host: string, path = "/") => `https://${host}:${port}${path}`;

async function newWindow(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return { context, page };
}

async function signIn(page: Page, login: string): Promise<void> {
  await page.getByLabel("Login").fill(login);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("a reader signs in once and then reads every host of the site, each with its own cookie", async () => {
  const { context, page } = await newWindow();
  await page.goto(at(`diary.${BASE}`, "/notes?from=mail"));
  await signIn(page, "bob");
  await page.getByRole("heading", { name: `${SECRET}: notes`, exact: true }).waitFor();
  expect(page.url()).toBe(at(`diary.${BASE}`, "/notes?from=mail"));

  for (const host of [`1--diary.${BASE}`, CUSTOM]) {
    await page.goto(at(host));
    await page.getByRole("heading", { name: SECRET, exact: true }).waitFor();
    expect(page.url()).toBe(at(host));
    // The image was loaded with the cookie.
    await page.evaluate("document.getElementById('photo').decode()");
    expect(await page.evaluate("document.getElementById('photo').naturalWidth")).toBe(7);
  }

  const cookies = await context.cookies();
  const held = cookies
    .map(({ name, domain }) => `${domain} ${name}`)
    .filter((cookie) => !/(state|passkey)$/.test(cookie));
  expect(held.sort()).toEqual(
    [
      `1--diary.${BASE} __Host-vitrine-visit`,
      `diary.${BASE} __Host-vitrine-visit`,
      `${BASE} __Host-vitrine`,
      `${CUSTOM} __Host-vitrine-visit`,
    ].sort(),
  );
  for (const { name, secure, httpOnly, sameSite, path } of cookies) {
    expect({ name, secure, httpOnly, sameSite, path }).toEqual({
      name,
      secure: true,
      httpOnly: true,
      sameSite: "Lax",
      path: "/",
    });
  }

  const stolen = cookies.find(({ name, domain }) => name === "__Host-vitrine-visit" && domain === `diary.${BASE}`);
  const replayed = await call("GET", "/", { headers: { Host: CUSTOM, Cookie: `${stolen?.name}=${stolen?.value}` } });
  expect(replayed.status).toBe(401);
  await context.close();
});

test("requests of an open page get 401 once its reader is removed, and the page explains it", async () => {
  const { context, page } = await newWindow();
  await page.goto(at(`diary.${BASE}`));
  await signIn(page, "bob");
  await page.getByRole("heading", { name: SECRET, exact: true }).waitFor();
  const fetchStatus = () => page.evaluate("fetch('/notes').then((answer) => answer.status)");
  expect(await fetchStatus()).toBe(200);

  const [reader] = (await (await call("GET", "/sites/diary/access/readers")).json()) as { id: number }[];
  expect((await call("DELETE", `/sites/diary/access/readers/${reader?.id}`)).status).toBe(204);
  expect(await fetchStatus()).toBe(401);
  await page.reload();
  await page.getByText("You are signed in as").waitFor();
  expect(await page.textContent("main")).not.toContain(SECRET);
  await context.close();

  const json = { body: '{"provider_login":"bob"}', headers: { "Content-Type": "application/json" } };
  expect((await call("POST", "/sites/diary/access/readers", json)).status).toBe(201);
});

test("a user without access sees who they are signed in as, and can switch to another account", async () => {
  const { context, page } = await newWindow();
  await page.goto(at(`diary.${BASE}`, "/notes"));
  await signIn(page, "carol");
  await page.getByText("You are signed in as carol").waitFor();
  await page.getByRole("button", { name: "Switch account" }).click();
  await signIn(page, "bob");
  await page.getByRole("heading", { name: `${SECRET}: notes`, exact: true }).waitFor();
  await context.close();
});

test("the base URL's cookie is never sent to a site, and a site's script cannot read cookies", async () => {
  const { context, page } = await newWindow();
  await page.goto(at(`diary.${BASE}`));
  await signIn(page, "bob");
  await page.getByRole("heading", { name: SECRET, exact: true }).waitFor();
  const { cookie } = (await (await page.reload())?.request().allHeaders()) ?? {};
  expect(cookie).toContain("__Host-vitrine-visit=");
  expect(cookie).not.toContain("__Host-vitrine=");
  expect(await page.evaluate("document.cookie")).toBe("");
  await context.close();
});
