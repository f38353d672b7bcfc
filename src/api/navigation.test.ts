import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { dashboardPage, isNavigation } from "./navigation.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

const CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

test.each<[what: string, headers: Record<string, string>, isPerson: boolean]>([
  [
    "a page opened in a browser",
    { accept: CHROMIUM, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    true,
  ],
  ["a page opened over plain HTTP", { accept: CHROMIUM }, true],
  ["what a page fetches", { accept: CHROMIUM, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }, false],
  ["what a page frames", { accept: CHROMIUM, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, false],
  ["curl", { accept: "*/*" }, false],
  ["a program that takes HTML too", { accept: "text/html,*/*" }, false],
  ["a client that says nothing", {}, false],
  ["a client that prefers JSON", { accept: "application/json, text/html;q=0.5" }, false],
  ["a client with a credential", { accept: "text/html, image/gif, *; q=.2", authorization: "Bearer vts_x" }, false],
])("%s is a navigation by a user: %j, %p", (_what, headers, isPerson) => {
  expect(isNavigation({ headers: new Headers(headers) })).toBe(isPerson);
});

test.each([
  ["/sites", "/"],
  ["/sites/", "/"],
  ["/shared-sites", "/"],
  ["/site-figures", "/"],
  ["/tokens", "/"],
  ["/auth/me", "/dashboard/account"],
  ["/auth/passkeys", "/dashboard/account"],
  ["/auth/sessions", "/dashboard/account/sessions"],
  ["/admin", "/dashboard/console"],
  ["/admin/users/ada", "/dashboard/console/people"],
  ["/admin/jobs", "/dashboard/console/jobs"],
  ["/admin/backups", "/dashboard/console/backups"],
  ["/admin/backups/20261122T020000000Z/archive", null],
  ["/admin/metrics", "/dashboard/console"],
  ["/admin/sites", "/dashboard/console/sites"],
  ["/admin/audit", "/dashboard/console/audit"],
  ["/admin/audit?format=csv", null],
  ["/capabilities/limits", "/dashboard/account"],
  ["/sites/blog", "/dashboard/sites/blog"],
  ["/sites/blog/deployments", "/dashboard/sites/blog/deployments"],
  ["/sites/blog/deployments/3/changes", "/dashboard/sites/blog/deployments"],
  ["/sites/blog/access/readers", "/dashboard/sites/blog/settings"],
  ["/sites/blog/publishers/5f0c", "/dashboard/sites/blog/settings/tokens"],
  ["/sites/blog/audit", "/dashboard/sites/blog/activity"],
  ["/sites/blog/retention/preview", "/dashboard/sites/blog/settings/retention"],
  ["/sites/blog/webhooks/5f0c/deliveries", "/dashboard/sites/blog/settings/webhooks"],
  ["/sites/blog/deployments/3/archive", null],
  ["/sites/..%2f/access", null],
  ["/sites//evil.example", null],
  ["/openapi.json", null],
  ["/health", null],
  ["/nowhere", null],
])("%s is shown by %j", (path, shown) => {
  expect(dashboardPage(new URL(path, "http://localhost"))).toBe(shown);
});

describe("a URL of the API", () => {
  const ARCHIVE = "/sites/blog/deployments/1/archive";
  let api: TestApi;
  let token: string;

  beforeAll(async () => {
    api = await openTestApi();
    token = (await api.signUp("ada")).token;
    await api.deploy(token, await zipOf({ "index.html": "x" }), { site: "blog" });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  test.each([
    ["/sites", "/"],
    ["/sites/blog/domains", "/dashboard/sites/blog/settings/domains"],
    ["/auth/me", "/dashboard/account"],
  ])("%s, opened in a browser, redirects to %s", async (path, page) => {
    const { status, headers } = await api.call("GET", path, { headers: { accept: CHROMIUM } });
    expect([status, headers.get("location")]).toEqual([303, page]);
  });

  test("that does not exist shows a page with a link to the dashboard", async () => {
    const response = await api.call("GET", "/nowhere", { headers: { accept: CHROMIUM } });
    const text = await response.text();
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(text).toContain("<h1>Page not found</h1>");
    expect(text).toContain('href="/">Go to the dashboard</a>');
  });

  test("of a download asks for a sign-in, and then sends the file", async () => {
    const refused = await api.call("GET", ARCHIVE, { headers: { accept: CHROMIUM } });
    const signIn = `/sign-in?return_to=${encodeURIComponent(ARCHIVE)}`;
    expect([refused.status, refused.headers.get("location")]).toEqual([303, signIn]);
    const headers = { accept: CHROMIUM, cookie: `vitrine=${token}` };
    const sent = await api.call("GET", ARCHIVE, { headers });
    expect([sent.status, sent.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="blog-1.zip"']);
  });

  test.each([
    ["a page's script", { accept: "*/*", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
    ["a client that accepts HTML", { accept: "text/html, image/gif, *; q=.2, */*; q=.2" }],
  ])("gives JSON to %s, also for a refusal", async (_, headers) => {
    const type = "application/json;charset=utf-8";
    const sites = await api.call("GET", "/sites", { headers: { ...headers, cookie: `vitrine=${token}` } });
    expect(await sites.json()).toEqual([expect.objectContaining({ name: "blog" })]);
    const refused = await api.call("GET", "/sites", { headers });
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, type]);
  });

  test("for monitors gives JSON to everybody", async () => {
    const response = await api.call("GET", "/health", { headers: { accept: CHROMIUM } });
    expect(await response.json()).toEqual({ status: "ok" });
  });
});
