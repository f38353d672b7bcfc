import { expect, test } from "bun:test";
import { type Route, routeOf, SITE_TABS, sitePath } from "./router.ts";

test.each<[string, Route | null]>([
  ["/", { page: "sites" }],
  ["/dashboard", { page: "sites" }],
  ["/dashboard/sites/", { page: "sites" }],
  ["/dashboard/account", { page: "account" }],
  ["/dashboard/sites/blog", { page: "site", site: "blog", tab: "deployments" }],
  ["/dashboard/sites/blog/domains", { page: "site", site: "blog", tab: "domains" }],
  ["/dashboard/sites/blog/nothing", { page: "missing" }],
  ["/dashboard/sites/blog/domains/more", { page: "missing" }],
  ["/dashboard/sites/%E0%A4%A", { page: "site", site: "%E0%A4%A", tab: "deployments" }],
  ["/dashboard/elsewhere", { page: "missing" }],
  ["/sites", null],
  ["/docs", null],
])("%p leads to its page", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});

test("every tab of a site has an address that leads back to it", () => {
  for (const tab of SITE_TABS) expect(routeOf(sitePath("blog", tab))).toEqual({ page: "site", site: "blog", tab });
});
