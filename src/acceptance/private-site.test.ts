import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { Browser } from "./testing/browser.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const SECRET = "the secret diary";
let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startTestServer({ workers: "2" });
  const alice = await server.signUp("alice-by-token");
  token = alice.token;
  for (const login of ["bob", "carol", "dave"]) await addLocalAccount(server, login);
  const files = {
    "index.html": SECRET,
    "notes/day.html": SECRET,
    "404.html": SECRET,
    _redirects: "/old /notes/day 301!",
  };
  const deployed = await server.deploy(token, await zipOf(files), { site: "diary", access: "private" });
  expect(await deployed.json()).toMatchObject({ private: true });
  for (const login of ["bob", "dave"]) await addReader(login);
});
afterAll(() => server[Symbol.asyncDispose]());

async function addReader(login: string): Promise<number> {
  const json = { provider_login: login };
  const added = await server.call("POST", "/sites/diary/access/readers", { token, json });
  expect(added.status).toBe(201);
  return ((await added.json()) as { id: number }).id;
}

const diary = (path = "/") => `${server.siteUrl("diary")}${path}`;

describe("a reader", () => {
  test("who is signed in gets the page they requested", async () => {
    const browser = await signIn(server, "bob");
    const page = await browser.open(diary("/notes/day?a=b"));
    expect(page.status).toBe(200);
    expect(await page.text()).toBe(SECRET);
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect(page.headers.get("vary")).toContain("Cookie");
  });

  test("who is not signed in signs in and gets the page they requested", async () => {
    const browser = new Browser(server.baseUrl);
    const form = await (await browser.open(diary("/notes/day"))).text();
    const asks = "Sign in to open <strong>diary.localhost</strong>.";
    expect(form).toContain(asks);
    const [, returnTo = ""] = /name="return_to" value="([^"]+)"/.exec(form) ?? [];
    const decoded = returnTo.replaceAll("&#38;", "&");
    const refused = await browser.submit("/sign-in", { login: "bob", password: "wrong", return_to: decoded });
    expect(await refused.text()).toContain(asks);
    const signedIn = await browser.submit("/sign-in", { login: "bob", password: PASSWORD, return_to: decoded });
    const [, next = ""] = /url=(.*)$/.exec(signedIn.headers.get("refresh") ?? "") ?? [];
    const page = await browser.open(new URL(next, server.baseUrl).href);
    expect(await page.text()).toBe(SECRET);
  });

  test("needs a cookie for each host of the site", async () => {
    const browser = await signIn(server, "bob");
    await browser.open(diary());
    const preview = `${server.siteUrl("1--diary")}/`;
    expect((await browser.get(preview, { Accept: "*/*" })).status).toBe(401);
    expect(await (await browser.open(preview)).text()).toBe(SECRET);
  });

  test("is refused by the first request after their removal, on the same connection", async () => {
    const browser = await signIn(server, "dave");
    const id = await addReader("dave");
    await browser.open(diary());
    expect((await browser.get(diary())).status).toBe(200);
    const removed = await server.call("DELETE", `/sites/diary/access/readers/${id}`, { token });
    expect(removed.status).toBe(204);
    expect((await browser.get(diary(), { Accept: "*/*" })).status).toBe(401);
  });

  test("is refused after signing out at the base URL", async () => {
    const browser = await signIn(server, "bob");
    await browser.open(diary());
    await browser.submit("/sign-out", {});
    expect((await browser.get(diary(), { Accept: "*/*" })).status).toBe(401);
  });

  test("has access for twelve hours, which is then renewed at the base URL without interaction", async () => {
    const browser = await signIn(server, "bob");
    await browser.open(diary());
    server.advance(12 * HOUR);
    expect((await browser.get(diary(), { Accept: "*/*" })).status).toBe(401);
    expect(await (await browser.open(diary())).text()).toBe(SECRET);
  });
});

describe("a user without access", () => {
  test("sees who they are signed in as and how to switch, and nothing about the site", async () => {
    const page = await (await signIn(server, "carol")).open(diary("/notes/day"));
    const text = await page.text();
    expect(page.status).toBe(403);
    expect(text).toContain("carol");
    expect(text).toContain("Switch account");
    expect(text).not.toContain(SECRET);
  });

  test("gets the same response for a private site and for an unknown one", async () => {
    const browser = await signIn(server, "carol");
    const visit = (host: string) =>
      browser.get(`/visit?${new URLSearchParams({ host, path: "/", state: "a".repeat(64) })}`);
    const there = await visit(new URL(diary()).hostname);
    const nowhere = await visit("nothing.localhost");
    expect(nowhere.status).toBe(there.status);
    expect((await nowhere.text()).replaceAll("nothing", "diary")).toBe(await there.text());
  });
});

test("who is signing in when the site becomes public gets a link and no redirect", async () => {
  await server.deploy(token, await zipOf({ "index.html": SECRET }), { site: "opened" });
  const query = new URLSearchParams({ host: "opened.localhost", path: "/a", state: "a".repeat(64) });
  const page = await (await signIn(server, "carol")).get(`/visit?${query}`);
  expect(page.status).toBe(200);
  expect(page.headers.get("location")).toBeNull();
  expect(await page.text()).toContain(`href="${server.siteUrl("opened")}/a"`);
});

test("a share that is revoked is refused by the next request, on the same connection", async () => {
  const json = { label: "The client", kind: "automation" };
  const shared = await server.call("POST", "/sites/diary/shares", { token, json });
  const { id, secret } = (await shared.json()) as Record<string, string>;
  const visit = async () =>
    (await server.visit("diary", "/", { headers: { Authorization: `Bearer ${secret}` } })).status;
  expect(await visit()).toBe(200);
  expect((await server.call("DELETE", `/sites/diary/shares/${id}`, { token })).status).toBe(204);
  for (let request = 0; request < 4; request++) expect(await visit()).toBe(401);
});

describe("nothing is revealed to strangers", () => {
  test.each([
    ["GET", "/"],
    ["HEAD", "/"],
    ["GET", "/notes/day"],
    ["GET", "/missing"],
    ["GET", "/old"],
    ["GET", "/notes/day.html"],
    ["GET", "/_redirects"],
    ["GET", "/%zz"],
    ["GET", "/.well-known/anything"],
    ["POST", "/"],
    ["PUT", "/notes"],
  ])("by %s %s", async (method, path) => {
    for (const label of ["diary", "1--diary"]) {
      const headers = { Range: "bytes=0-3", "If-None-Match": "*", Accept: "*/*" };
      const response = await server.visit(label, path, { method, headers });
      expect(await response.text()).not.toContain(SECRET.slice(0, 4));
      expect(response.status).toBe(401);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
      expect(response.headers.get("vary")).toBe("Cookie");
      for (const telling of ["etag", "last-modified", "content-range", "location"]) {
        expect(response.headers.get(telling)).toBeNull();
      }
    }
  });

  test("but the name of the site, which is no secret", async () => {
    const page = { headers: { Accept: "text/html" }, redirect: "manual" } as const;
    for (const path of ["/", "/notes/day", "/missing", "/old", "/_redirects"]) {
      const response = await server.visit("diary", path, page);
      expect([response.status, response.headers.get("location")]).toEqual([
        302,
        expect.stringContaining(`${server.baseUrl}/visit?host=diary.`),
      ]);
      expect((await server.visit("no-diary", path, page)).status).toBe(404);
    }
  });

  test("by the base URL's own cookie on a site's host", async () => {
    const browser = await signIn(server, "bob");
    const session = browser.cookies().get("vitrine") ?? "";
    const response = await server.visit("diary", "/", { headers: { Cookie: `vitrine=${session}` } });
    expect(response.status).toBe(401);
  });

  test("while the site is deployed for the first time and 20 visitors ask for it", async () => {
    let done = false;
    const bodies: string[] = [];
    const visit = async () => {
      const response = await server.visit("fresh");
      bodies.push(`${response.status} ${await response.text()}`);
    };
    const visitor = async () => {
      while (!done) await visit();
    };
    // All have come before it is deployed, and ask for it until it is.
    await Promise.all(Array.from({ length: 20 }, visit));
    const visitors = Array.from({ length: 20 }, visitor);
    const archive = await zipOf({ "index.html": SECRET });
    const deployed = await server.deploy(token, archive, { site: "fresh", access: "private" });
    done = true;
    await Promise.all(visitors);
    expect([deployed.status, (await server.visit("fresh")).status]).toEqual([201, 401]);
    expect(bodies.filter((body) => body.includes(SECRET))).toEqual([]);
  });
});

describe("a site that is made private", () => {
  test("is closed for the next request, and open again for the one after that", async () => {
    const archive = await zipOf({ "index.html": SECRET });
    await server.deploy(token, archive, { site: "changing" });
    for (let round = 0; round < 5; round++) {
      expect((await server.visit("changing")).status).toBe(200);
      await server.call("PUT", "/sites/changing/access", { token });
      expect((await server.visit("changing")).status).toBe(401);
      await server.call("DELETE", "/sites/changing/access", { token });
    }
  });
});

describe("signing in by password", () => {
  test("has the same error for a wrong password and an unknown login", async () => {
    const browser = new Browser(server.baseUrl);
    server.advance(15 * MINUTE);
    const responses = [];
    for (const fields of [
      { login: "bob", password: "wrong" },
      { login: "nobody", password: "wrong" },
      { login: "bob\u0000", password: PASSWORD },
    ]) {
      const response = await browser.submit("/sign-in", fields);
      expect(response.status).toBe(401);
      expect(response.headers.getSetCookie()).toEqual([]);
      // The form keeps the login.
      responses.push((await response.text()).replace(/ value="(bob|nobody)[^"]*"/, ""));
    }
    expect(new Set(responses).size).toBe(1);
  });

  test("is refused for pages of other origins", async () => {
    const browser = new Browser(server.baseUrl);
    const fields = { login: "bob", password: PASSWORD };
    for (const origin of ["https://evil.example", diary("").slice(0, -1), "null", null]) {
      const response = await browser.submit("/sign-in", fields, origin);
      expect(response.status).toBe(403);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  test("never redirects to another host", async () => {
    server.advance(15 * MINUTE);
    const browser = new Browser(server.baseUrl);
    for (const returnTo of [
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example",
      "javascript:alert(1)",
      "evil",
    ]) {
      const response = await browser.submit("/sign-in", { login: "bob", password: PASSWORD, return_to: returnTo });
      expect(response.headers.get("refresh")).toBe("0; url=/");
    }
  });
});
