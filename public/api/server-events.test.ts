import { expect, test } from "bun:test";
import { describeChanges, isAffected } from "./server-events.ts";

test.each([
  ["/sites", "deployment.published", true],
  ["/sites?limit=10", "deployment.published", true],
  ["/sites/blog/deployments?limit=20", "deployment.published", true],
  ["/sites/blog-2/deployments", "deployment.published", false],
  ["/shared-sites", "access.changed", true],
  ["/tokens", "access.changed", true],
  ["/admin/users", "deployment.published", false],
  ["/admin/users", "admin.changed", true],
  ["/admin/metrics?from=2026-10-24T00:00:00Z", "admin.changed", false],
  ["/sites", "admin.changed", false],
  ["/admin/users", "reset", true],
  ["/version", "deployment.published", false],
])("%s is affected by %s of blog: %p", (path, type, wanted) => {
  expect(isAffected(path, { type, site: "blog" })).toBe(wanted);
});

test("an event about a site that is no longer visible affects only the lists", () => {
  const lost = { type: "access.changed", site: null };
  expect(["/shared-sites", "/sites/blog/access"].map((path) => isAffected(path, lost))).toEqual([true, false]);
});

test.each([
  [[{ type: "deployment.published", site: "blog", deployment_number: 3 }], ["Deployment 3 of blog is live."]],
  [
    [{ type: "alias.moved", site: "blog", alias: "pr-1", deployment_number: 4 }],
    ["The alias pr-1 of blog shows deployment 4."],
  ],
  [[{ type: "domain.connected", site: "blog", hostname: "www.example.org" }], ["www.example.org is connected."]],
  [[{ type: "site.changed", site: "blog" }], ["The settings of blog changed."]],
  [[{ type: "site.removed", site: "blog" }], ["blog was deleted, or you are no member of it any more."]],
  [
    [
      { type: "reset", site: null },
      { type: "admin.changed", site: "blog" },
      { type: "access.changed", site: null },
    ],
    [],
  ],
])("%j is announced as %j", (events, wanted) => {
  expect(describeChanges(events)).toEqual(wanted);
});

test("of several changes of a site the most important one is announced, and many sites in one sentence", () => {
  const added = { type: "sites.added", site: "new" };
  expect(describeChanges([{ type: "deployment.published", site: "new", deployment_number: 1 }, added])).toEqual([
    "new is a new site.",
  ]);
  const many = ["a", "b", "c", "d"].map((site) => ({ type: "site.removed", site }));
  expect(describeChanges(many)).toEqual(["4 sites changed."]);
  expect(describeChanges(many.slice(1)).length).toBe(3);
});
