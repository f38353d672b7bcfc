import { beforeEach, expect, test } from "bun:test";
import { type AffectedSites, ENCODED } from "../domain/ports/store/routing.ts";
import { CachedRoutes } from "./cached-routes.ts";
import type { Route } from "./ports.ts";

/** The log: the sites that each change affects, or null for all. */
let log: (AffectedSites | null)[];
let routes: CachedRoutes;

beforeEach(() => {
  log = [];
  routes = new CachedRoutes({
    generation: () => log.length,
    affectedSites(after, upTo) {
      const changes = log.slice(after, upTo);
      return changes.includes(null) ? null : changes.flatMap((sites) => sites ?? []);
    },
  });
  for (const [host, siteId] of Object.entries({ a: 1, "a.example": 1, b: 2 })) routes.set(host, routeOf(siteId), 0);
  routes.set("nobody", null, 0);
});

const routeOf = (siteId: number) => ({ siteId }) as Route;
const cached = () => {
  routes.catchUp();
  return ["a", "a.example", "b", "nobody"].filter((host) => routes.get(host) !== undefined);
};

test("hosts with and without a site are cached until something changes", () => {
  expect(cached()).toEqual(["a", "a.example", "b", "nobody"]);
  expect(routes.get("nobody")).toBeNull();
  expect(routes.get("other")).toBeUndefined();
});

test.each<[string, (AffectedSites | null)[], string[]]>([
  ["one site drops all of its hosts, and those without a site", [[1]], ["b"]],
  ["several changes drop what each of them affects", [[1], [2]], []],
  ["no site drops the hosts without one alone", [[]], ["a", "a.example", "b"]],
  ["encodings drops no host with a site", [[ENCODED]], ["a", "a.example", "b"]],
  ["everything, among others, drops all", [[], null, []], []],
])("a change of %s", (_, changes, left) => {
  log.push(...changes);
  expect(cached()).toEqual(left);
});

test("a dropped route is cached again, and dropped again", () => {
  log.push([1]);
  expect(cached()).not.toContain("a");
  routes.set("a", routeOf(1), 1);
  expect(cached()).toContain("a");
  log.push([1]);
  expect(cached()).not.toContain("a");
});

test("a route that was read before the latest change is not cached", () => {
  log.push([2]);
  routes.set("a.example", routeOf(3), 0);
  expect(routes.get("a.example")).toEqual(routeOf(1));
  routes.set("late", routeOf(1), 0);
  expect(routes.get("late")).toBeUndefined();
});

test("encodings are read again after each change that recorded some, or may have", () => {
  const seen: number[] = [];
  for (const change of [[1], [ENCODED], [2], null, []] as const) {
    log.push(change);
    routes.catchUp();
    seen.push(routes.encodedAt);
  }
  expect(seen).toEqual([0, 2, 2, 4, 4]);
});

test("while the log cannot be read, no request uses the cache", () => {
  const failing = new CachedRoutes({
    generation: () => log.length,
    affectedSites() {
      throw new Error("disk");
    },
  });
  failing.set("a", routeOf(1), 0);
  log.push([2]);
  for (const _ of [1, 2]) expect(() => failing.catchUp()).toThrow("disk");
});

test("a flood of invented hosts does not evict the routes of sites", () => {
  for (let n = 0; n < 50_000; n++) routes.set(`invented-${n}`, null, 0);
  expect(cached()).toEqual(expect.arrayContaining(["a", "a.example", "b"]));
  expect(routes.get("invented-0")).toBeUndefined();
});
