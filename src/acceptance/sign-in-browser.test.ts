import { expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { addSite } from "../storage/contract/people.ts";
import { needing } from "../testing/needing.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { openWindow, PATIENCE_MS, startChromium } from "./testing/chromium.ts";
import { type OidcServer, startOidcServer } from "./testing/oidc-server.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const { afterAll, beforeAll, describe, test } = needing("browser");

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
}

async function startDevice(server: TestServer): Promise<Codes> {
  const response = await server.call("POST", "/auth/device", { json: { client_name: "vitrine on a laptop" } });
  return (await response.json()) as Codes;
}

async function poll(server: TestServer, { device_code }: Codes) {
  const response = await server.call("POST", "/auth/device/token", { json: { device_code } });
  return (await response.json()) as { error?: string; access_token?: string; user?: unknown };
}

/** The consent page of a signed-in user shows all details, and one click approves. */
async function approve(page: Page, { user_code }: Codes, login: string): Promise<void> {
  await page.getByRole("heading", { name: "Connect this device?", exact: true }).waitFor();
  const text = (await page.textContent("main")) ?? "";
  for (const shown of [user_code, "vitrine on a laptop", "127.0.0.1", login, "UTC", "deny it"]) {
    expect(text).toContain(shown);
  }
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Device connected", exact: true }).waitFor();
}

describe("with built-in accounts, without scripts", () => {
  let server: TestServer;
  let page: Page;
  beforeAll(async () => {
    server = await startTestServer();
    await addLocalAccount(server, "ada");
    const context = await browser.newContext({ javaScriptEnabled: false });
    context.setDefaultTimeout(PATIENCE_MS);
    page = await context.newPage();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** Opens a URL as the token's owner, by default as nobody. */
  async function openPage(url: string, token?: string): Promise<void> {
    await page.context().clearCookies();
    if (token !== undefined) await page.context().addCookies([{ name: "vitrine", value: token, url: server.baseUrl }]);
    await page.goto(url);
  }

  test("a device is connected through its link, with a password", async () => {
    const codes = await startDevice(server);
    await openPage(codes.verification_uri_complete);
    for (const password of ["wrong", PASSWORD]) {
      await page.getByLabel("Login").fill("ada");
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      if (password === "wrong") await page.getByRole("alert").waitFor();
    }
    await approve(page, codes, "ada");
    expect(await poll(server, codes)).toMatchObject({ user: { login: "ada" } });
  });

  test("a device that asks for everything is given previews of one site for a day", async () => {
    const { token, user } = await server.signUp("mira");
    for (const name of ["blog", "docs"]) await addSite(server.store, name, user.id, false);
    const codes = await startDevice(server);
    await openPage(codes.verification_uri_complete, token);
    const docs = page.getByRole("checkbox", { name: "docs", exact: true });
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await docs.isVisible()).toBe(false);
    await page.getByRole("radio", { name: "Make previews" }).check();
    await docs.check();
    await page.getByLabel("Until").selectOption("1 day from now");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("is signed in to make previews of docs").waitFor();
    expect(await poll(server, codes)).toMatchObject({ scope: "preview site:docs", expires_in: 86_400 });
  });

  test("a device is denied by typing its code, in lower case and without the hyphen", async () => {
    const codes = await startDevice(server);
    await openPage(codes.verification_uri, (await server.signUp("grace")).token);
    for (const code of ["bbbb bbbb", codes.user_code.toLowerCase().replace("-", "")]) {
      await page.getByLabel("Code shown on your device").fill(code);
      await page.getByRole("button", { name: "Continue" }).click();
      if (code === "bbbb bbbb") await page.getByRole("alert").waitFor();
    }
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Device denied", exact: true }).waitFor();
    expect(await poll(server, codes)).toMatchObject({ error: "access_denied" });
  });
});

describe("with an OpenID Connect issuer", () => {
  let oidc: OidcServer;
  let server: TestServer;
  let page: Page;
  beforeAll(async () => {
    oidc = await startOidcServer({ signup: "open" });
    server = oidc.server;
    page = (await openWindow(browser, server)).page;
  });
  afterAll(() => oidc?.[Symbol.asyncDispose]());

  test("a user who cancels at the issuer is not signed in, and who signs in there connects a device", async () => {
    const codes = await startDevice(server);
    await page.goto(codes.verification_uri_complete);
    await page.getByRole("link", { name: "Continue with 127.0.0.1" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByText("Sign-in was declined").waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain("vitrine");

    await page.goto(codes.verification_uri_complete);
    await page.getByRole("link", { name: "Continue with 127.0.0.1" }).click();
    await page.getByPlaceholder("Enter any login").fill("grace");
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await approve(page, codes, "grace");
    const { access_token: token } = await poll(server, codes);
    const me = await server.call("GET", "/auth/me", { token });
    expect(await me.json()).toMatchObject({ login: "grace", name: "Full name of grace", provider: "oidc" });
  });

  test("pages of other sites use none of the visitor's sign-in attempts, and their links lead to the page where users confirm", async () => {
    const images = Array.from({ length: 15 }, (_, n) => `<img src="${server.baseUrl}/sign-in/provider?n=${n}">`);
    const link = `<a href="${server.baseUrl}/sign-in/provider?return_to=/device">Sign in</a>`;
    await using elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response([link, ...images].join(""), { headers: { "Content-Type": "text/html" } }),
    });
    await page.context().clearCookies();
    // One that Vitrine could host, and one of another domain.
    for (const host of ["evil.localhost", "127.0.0.1"]) {
      await page.goto(`http://${host}:${elsewhere.port}/`);
      await page.getByRole("link", { name: "Sign in" }).click();
      await page.waitForURL(`${server.baseUrl}/sign-in?return_to=%2Fdevice`);
    }
    await page.getByRole("link", { name: "Continue with 127.0.0.1" }).click();
    await page.getByPlaceholder("Enter any login").waitFor();
  });
});
