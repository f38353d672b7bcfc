import { expect, test } from "bun:test";
import type { SiteFigures } from "../../api/types.ts";
import { siteNamed } from "../../testing/site.ts";
import { byName, changeOf, countsOf, IS_KIND, rowsOf, tagsOf } from "./rows.ts";
import { FIRST_VIEW, shownRows, type View } from "./view.ts";

const figures = (name: string, facts: Partial<SiteFigures> = {}): SiteFigures => ({
  name,
  icon: null,
  daily_views: [1, 2],
  views_before: 0,
  deployments: 1,
  last_deployment: null,
  start_page_gone: false,
  domains: [],
  ...facts,
});
const domain = (hostname: string, connection_status = "connected") => ({ hostname, connection_status }) as never;

const SITES = [
  siteNamed("atlas", { tags: ["docs", "client"], last_deployed_at: "2026-03-01T00:00:00.000Z", size_bytes: 300 }),
  siteNamed("blog", { tags: ["docs"], last_deployed_at: "2026-02-01T00:00:00.000Z", private: true }),
  siteNamed("cold", { frozen: { since: "2026-01-01T00:00:00.000Z", reason: null }, private: true }),
  siteNamed("draft", { size_bytes: null }),
];
const FIGURES = [
  figures("atlas", {
    icon: "/favicon.svg",
    domains: [domain("atlas.example"), domain("old.example", "action_needed")],
  }),
  figures("blog", { icon: "/favicon.svg", daily_views: [50, 50] }),
  figures("cold"),
  figures("draft", { daily_views: [0, 0] }),
];
const SHARED = [{ name: "handbook", url: "https://handbook.vitrine.test", owner: "grace", frozen: false }];
const ROWS = rowsOf({ sites: SITES, shared: SHARED, figures: FIGURES, siteUrl: "https://{site}.vitrine.test" });

const shown = (view: Partial<View>) => shownRows(ROWS, { ...FIRST_VIEW, ...view }).map(({ name }) => name);

test("an expired site needs attention, and one that expires later does not", () => {
  const ended = siteNamed("ended", { expires_at: "2026-01-01T00:00:00.000Z" });
  const later = siteNamed("later", { expires_at: new Date(Date.now() + 60_000).toISOString() });
  const rows = rowsOf({ sites: [ended, later], shared: [], figures: [], siteUrl: undefined });
  expect(rows.map(({ status }) => status.text)).toEqual(["Expired", "Live"]);
  expect(rows.map(IS_KIND.attention)).toEqual([true, false]);
});

test("the status is the most important deviation: frozen, then a failing domain, then nothing published, then private", () => {
  expect(ROWS.map(({ name, status }) => [name, status.text])).toEqual([
    ["atlas", "Domain failing"],
    ["blog", "Private"],
    ["cold", "Frozen"],
    ["draft", "Not published"],
    ["handbook", "Private"],
  ]);
});

test("sites of others are shared by role, and those that one only reads need no attention", () => {
  const expired = { expires_at: "2026-01-01T00:00:00.000Z" };
  const sites = [
    siteNamed("mine"),
    siteNamed("ours", { role: "maintainer", ...expired }),
    siteNamed("theirs", { role: "deployer" }),
  ];
  const rows = rowsOf({ sites, shared: SHARED, figures: [], siteUrl: undefined });
  expect(rows.map((row) => [row.role, IS_KIND.shared(row), IS_KIND.attention(row)])).toEqual([
    ["owner", false, false],
    ["maintainer", true, true],
    ["deployer", true, false],
    ["reader", true, false],
  ]);
});

test("a site whose start page is gone needs attention", () => {
  const [row] = rowsOf({
    sites: [siteNamed("empty")],
    shared: [],
    figures: [figures("empty", { start_page_gone: true })],
    siteUrl: undefined,
  });
  expect([row?.status.text, countsOf(row ? [row] : []).attention]).toEqual(["No start page", 1]);
});

test("a connected domain is the first host, and a failing one is none", () => {
  expect(ROWS[0]?.hosts).toEqual(["atlas.example", "atlas.vitrine.test"]);
});

test("only a public site has its icon loaded", () => {
  expect(ROWS.map(({ icon }) => icon)).toEqual(["https://atlas.vitrine.test/favicon.svg", null, null, null, null]);
});

test("until the figures are loaded, views are unknown and statuses depend on the sites alone", () => {
  const [atlas] = rowsOf({ sites: SITES, shared: [], figures: undefined, siteUrl: undefined });
  expect(atlas).toMatchObject({ views: null, dailyViews: null, hosts: [], icon: null, status: { text: "Live" } });
  expect(atlas?.deployedBy).toBeUndefined();
});

test.each<[what: string, view: Partial<View>, names: string[]]>([
  ["newest deployment first", {}, ["atlas", "blog", "cold", "draft", "handbook"]],
  ["by name backwards", { sort: { column: "name", descending: true } }, ["handbook", "draft", "cold", "blog", "atlas"]],
  ["by views", { sort: { column: "views", descending: true } }, ["blog", "atlas", "cold", "draft", "handbook"]],
  ["by size", { sort: { column: "size", descending: false } }, ["draft", "handbook", "blog", "cold", "atlas"]],
  ["by status", { sort: { column: "status", descending: false } }, ["cold", "atlas", "draft", "blog", "handbook"]],
  ["private ones", { kind: "private" }, ["blog", "cold", "handbook"]],
  ["those with a domain", { kind: "domain" }, ["atlas"]],
  ["frozen ones", { kind: "frozen" }, ["cold"]],
  ["shared ones", { kind: "shared" }, ["handbook"]],
  ["those that need action", { kind: "attention" }, ["atlas", "cold"]],
  ["those with a tag", { tag: "docs" }, ["atlas", "blog"]],
  ["a part of a name", { text: " BLO " }, ["blog"]],
  ["a part of a hostname", { text: "atlas.ex" }, ["atlas"]],
  ["a part of a tag", { text: "clie" }, ["atlas"]],
  ["all together", { kind: "private", tag: "docs", text: "b" }, ["blog"]],
])("%s", (_, view, names) => {
  expect(shown(view)).toEqual(names);
});

test("names are in the order in which people count", () => {
  const names = ["client-10", "client-2", "client-1", "b2b", "b10b"].map((name) => ({ name }));
  expect(names.sort(byName).map(({ name }) => name)).toEqual(["b2b", "b10b", "client-1", "client-2", "client-10"]);
});

test("kinds and tags are counted", () => {
  expect(countsOf(ROWS)).toEqual({ all: 5, private: 3, domain: 1, frozen: 1, shared: 1, attention: 2 });
  expect(tagsOf(ROWS)).toEqual([
    ["docs", 2],
    ["client", 1],
  ]);
});

test.each([
  [110, 100, "+10.0 %"],
  [92, 100, "−8.0 %"],
  [100, 100, "0.0 %"],
  [500, 100, "+400 %"],
  [5, 0, null],
])("from %i before, %i are a change of %p", (now, before, text) => {
  expect(changeOf(now, before)).toBe(text);
});
