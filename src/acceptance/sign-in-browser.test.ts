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

describe("with built-in accounts", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await addLocalAccount(server, "ada");
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("a device is connected through its link, with a password", async () => {
    const codes = await startDevice(server);
    const { page, errors } = await openWindow(browser, server);
    await page.goto(codes.verification_uri_complete);
    await page.getByLabel("Login").fill("ada");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Login").fill("ada");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await approve(page, codes, "ada");
    expect(await poll(server, codes)).toMatchObject({ user: { login: "ada" } });
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test("a device that asks for everything is given previews of one site for a day", async () => {
    const { token, user } = await server.signUp("mira");
    for (const name of ["blog", "docs"]) await addSite(server.store, name, user.id, false);
    const codes = await startDevice(server);
    const { page, errors } = await openWindow(browser, server, token);
    await page.goto(codes.verification_uri_complete);
    const docs = page.getByRole("checkbox", { name: "docs", exact: true });
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await docs.isVisible()).toBe(false);
    await page.getByRole("radio", { name: "Make previews" }).check();
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await page.getByRole("alert").textContent()).toBe("Choose at least one site.");
    await docs.check();
    await page.getByLabel("Until").selectOption("1 day from now");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("is signed in to make previews of docs").waitFor();
    expect(await poll(server, codes)).toMatchObject({ scope: "preview site:docs", expires_in: 86_400 });
    expect(errors.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("a device is denied by typing its code, in lower case and without the hyphen", async () => {
    const codes = await startDevice(server);
    const { page } = await openWindow(browser, server, (await server.signUp("grace")).token);
    await page.goto(codes.verification_uri);
    await page.getByLabel("Code shown on your device").fill("bbbb bbbb");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Code shown on your device").fill(codes.user_code.toLowerCase().replace("-", ""));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Device denied", exact: true }).waitFor();
    expect(await poll(server, codes)).toMatchObject({ error: "access_denied" });
  });

  test("all steps work without scripts", async () => {
    const codes = await startDevice(server);
    const context = await browser.newContext({ javaScriptEnabled: false });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(codes.verification_uri_complete);
    await page.getByLabel("Login").fill("ada");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await approve(page, codes, "ada");
    await context.close();
  });
});

describe("with an OpenID Connect issuer", () => {
  let oidc: OidcServer;
  let server: TestServer;
  beforeAll(async () => {
    oidc = await startOidcServer({ signup: "open" });
    server = oidc.server;
  });
  afterAll(() => oidc?.[Symbol.asyncDispose]());

  test("a device is connected through the issuer's own pages", async () => {
    const codes = await startDevice(server);
    const { page } = await openWindow(browser, server);
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

  test("pages of other sites, and hosted ones, use none of the visitor's sign-in attempts", async () => {
    const images = Array.from({ length: 15 }, (_, n) => `<img src="${server.baseUrl}/sign-in/provider?n=${n}">`);
    const elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(images.join(""), { headers: { "Content-Type": "text/html" } }),
    });
    const { page } = await openWindow(browser, server);
    const hosted = `http://evil.localhost:${elsewhere.port}/`;
    for (const url of [hosted, `http://127.0.0.1:${elsewhere.port}/`]) await page.goto(url);
    await page.goto("/sign-in");
    await page.getByRole("link", { name: "Continue with 127.0.0.1" }).click();
    await page.getByPlaceholder("Enter any login").waitFor();
    await elsewhere.stop(true);
  });

  test("a link on another site to the provider leads to the page where users confirm it", async () => {
    const elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(`<a href="${server.baseUrl}/sign-in/provider?return_to=/device">Sign in</a>`, {
          headers: { "Content-Type": "text/html" },
        }),
    });
    const { page } = await openWindow(browser, server);
    await page.goto(`http://127.0.0.1:${elsewhere.port}/`);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL(`${server.baseUrl}/sign-in?return_to=%2Fdevice`);
    await elsewhere.stop(true);
  });

  test("a user who cancels at the issuer sees that and is not signed in", async () => {
    const { page, context } = await openWindow(browser, server);
    await page.goto("/sign-in");
    await page.getByRole("link", { name: "Continue with 127.0.0.1" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByText("Sign-in was declined").waitFor();
    expect((await context.cookies()).map(({ name }) => name)).not.toContain("vitrine");
  });
});
