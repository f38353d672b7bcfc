import { expect, test } from "bun:test";
import { dashboardPage, isNavigation } from "./navigation.ts";

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
