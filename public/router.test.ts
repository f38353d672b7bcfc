import { expect, test } from "bun:test";
import { type Route, routeOf, SITE_TABS, sitePath } from "./router.ts";

test.each<[string, Route | null]>([
  ["/", { page: "sites" }],
  ["/dashboard", { page: "sites" }],
  ["/dashboard/sites/", { page: "sites" }],
  ["/dashboard/account", { page: "account" }],
  ["/dashboard/console", { page: "console", tab: "people" }],
  ["/dashboard/console/audit", { page: "console", tab: "audit" }],
  ["/dashboard/console/nothing", { page: "missing" }],
  ["/dashboard/console/audit/more", { page: "missing" }],
  ["/dashboard/sites/blog", { page: "site", site: "blog", tab: "deployments" }],
  ["/dashboard/sites/blog/domains", { page: "site", site: "blog", tab: "domains" }],
  ["/dashboard/sites/blog/nothing", { page: "missing" }],
  ["/dashboard/sites/blog/domains/more", { page: "missing" }],
  ["/dashboard/sites/7-up", { page: "site", site: "7-up", tab: "deployments" }],
  ["/dashboard/sites/%E0%A4%A", { page: "missing" }],
  ["/dashboard/sites/evil.example%2F%3F", { page: "missing" }],
  ["/dashboard/sites/%24%26", { page: "missing" }],
  ["/dashboard/sites/Blog", { page: "missing" }],
  ["/dashboard/sites/my--blog", { page: "missing" }],
  [`/dashboard/sites/${"x".repeat(51)}`, { page: "missing" }],
  ["/dashboard/elsewhere", { page: "missing" }],
  ["/sites", null],
  ["/docs", null],
])("%p leads to its page", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});

test("every tab of a site has an address that leads back to it", () => {
  for (const tab of SITE_TABS) expect(routeOf(sitePath("blog", tab))).toEqual({ page: "site", site: "blog", tab });
});
