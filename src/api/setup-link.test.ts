import { afterEach, beforeEach, expect, test } from "bun:test";
import { setupLink } from "../app/setup-link.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { MINUTE } from "../domain/timestamp.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

let server: TestApi;
let link: string;
beforeEach(async () => {
  server = await openTestApi();
  link = (await setupLink(server.config, { ...server, secrets: systemSecrets })) ?? "";
});
afterEach(() => server[Symbol.asyncDispose]());

const account = { login: "ada", name: "Ada Lovelace", password: "correct horse" };

test("the set-up link creates the first account and signs it in, once", async () => {
  const browser = server.browser();
  expect(await (await browser.get("/sign-in")).text()).toContain("This server has no accounts yet.");
  expect(await (await browser.get(link)).text()).toContain("Set up this server");
  const created = await browser.submit(link, account);
  expect([created.status, created.headers.get("refresh")]).toEqual([200, "0; url=/"]);
  expect(await (await server.browser().get("/sign-in")).text()).not.toContain("no accounts");
  const me = await browser.get("/auth/me", { Accept: "application/json" });
  expect(await me.json()).toMatchObject({ login: "ada", name: "Ada Lovelace" });

  const another = server.browser();
  expect((await another.get(link)).status).toBe(404);
  const again = await another.submit(link, { ...account, login: "eve" });
  expect(again.status).toBe(409);
  expect(again.headers.getSetCookie()).toEqual([]);
  expect(await server.store.users.count()).toBe(1);
});

test("of two concurrent requests one creates the account", async () => {
  const logins = ["ada", "eve", "bob", "joe"];
  const pages = logins.map((login) => server.browser().submit(link, { ...account, login }));
  const statuses = (await Promise.all(pages)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409, 409, 409]);
});

test("it is invalid after 30 minutes, and with any other code", async () => {
  const browser = server.browser();
  expect((await browser.get(`${link}x`)).status).toBe(404);
  server.advance(30 * MINUTE);
  expect((await browser.get(link)).status).toBe(404);
  expect((await browser.submit(link, account)).status).toBe(404);
});

test("a form from another origin creates no account", async () => {
  const refused = await server.browser().submit(link, account, "https://evil.example");
  expect(refused.status).toBe(403);
  expect(await server.store.users.count()).toBe(0);
});

test.each([
  ["a short password", { password: "1234567" }],
  ["a login with a blank", { login: "a b" }],
  ["a login with control characters", { login: "a\u0007" }],
  ["a login that is markup", { login: "<b>" }],
  ["no login", { login: "" }],
  ["an endless password", { password: "x".repeat(1025) }],
])("%s is refused with an explanation, and the link stays valid", async (_what, change) => {
  const browser = server.browser();
  const refused = await browser.submit(link, { ...account, ...change });
  expect(refused.status).toBe(400);
  const text = await refused.text();
  expect(text).toContain('role="alert"');
  expect(text).toContain(`name="name" value="${account.name}"`);
  expect((await browser.get(link)).status).toBe(200);
});
