import { expect, test } from "bun:test";
import { currentPath, type Route, routeOf, SETTINGS_PANELS, SITE_TABS, settingsPath, sitePath } from "./router.ts";

const site = (name: string, tab: string, panel: string | null = null) =>
  ({ page: "site", site: name, tab, panel }) as Route;

test.each<[string, Route | null]>([
  ["/", { page: "sites" }],
  ["/dashboard", { page: "sites" }],
  ["/dashboard/sites/", { page: "sites" }],
  ["/dashboard/account", { page: "account", tab: "account" }],
  ["/dashboard/account/sessions", { page: "account", tab: "sessions" }],
  ["/dashboard/account/command-line", { page: "account", tab: "command-line" }],
  ["/dashboard/account/nothing", { page: "missing" }],
  ["/dashboard/account/sessions/more", { page: "missing" }],
  ["/dashboard/console", { page: "console", tab: "overview" }],
  ["/dashboard/console/audit", { page: "console", tab: "audit" }],
  ["/dashboard/console/nothing", { page: "missing" }],
  ["/dashboard/console/audit/more", { page: "missing" }],
  ["/dashboard/sites/blog", site("blog", "overview")],
  ["/dashboard/sites/blog/deployments", site("blog", "deployments")],
  ["/dashboard/sites/blog/activity", site("blog", "activity")],
  ["/dashboard/sites/blog/files", site("blog", "files")],
  ["/dashboard/sites/blog/report", site("blog", "report")],
  ["/dashboard/sites/blog/settings", site("blog", "settings", "access")],
  ["/dashboard/sites/blog/settings/shares", site("blog", "settings", "shares")],
  ["/dashboard/sites/blog/settings/nothing", { page: "missing" }],
  ["/dashboard/sites/blog/settings/webhooks/more", { page: "missing" }],
  ["/dashboard/sites/blog/domains", site("blog", "settings", "domains")],
  ["/dashboard/sites/blog/shares", { page: "missing" }],
  ["/dashboard/sites/blog/nothing", { page: "missing" }],
  ["/dashboard/sites/blog/deployments/more", { page: "missing" }],
  ["/dashboard/sites/blog/domains/more", { page: "missing" }],
  ["/dashboard/sites/7-up", site("7-up", "overview")],
  ["/dashboard/sites/%E0%A4%A", { page: "missing" }],
  ["/dashboard/sites/evil.example%2F%3F", { page: "missing" }],
  ["/dashboard/sites/%24%26", { page: "missing" }],
  ["/dashboard/sites/Blog", { page: "missing" }],
  ["/dashboard/sites/my--blog", { page: "missing" }],
  [`/dashboard/sites/${"x".repeat(51)}`, { page: "missing" }],
  ["/dashboard/elsewhere", { page: "missing" }],
  ["/sites", null],
  ["/docs", null],
])("%p is routed to its page", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});

test("every tab and settings page of a site has a path that is routed back to it", () => {
  for (const tab of SITE_TABS.filter((name) => name !== "settings")) {
    expect(routeOf(sitePath("blog", tab))).toEqual(site("blog", tab));
  }
  for (const panel of SETTINGS_PANELS) {
    expect(routeOf(settingsPath("blog", panel))).toEqual(site("blog", "settings", panel));
  }
});

test.each([
  ["/dashboard/sites/blog/tokens", "/dashboard/sites/blog/settings/tokens"],
  ["/dashboard/sites/blog/access/", "/dashboard/sites/blog/settings"],
  ["/dashboard/sites/blog/settings/access", "/dashboard/sites/blog/settings"],
  ["/dashboard/sites/blog/settings/danger", "/dashboard/sites/blog/settings/danger"],
  ["/dashboard/sites/blog", "/dashboard/sites/blog"],
  ["/", "/"],
])("%s is redirected to %s", (former, now) => {
  expect(currentPath(former)).toBe(now);
});
