import { describe, expect, test } from "bun:test";
import { parseScope } from "../model/scope.ts";
import { DAY, HOUR } from "../timestamp.ts";
import { type ConsentChoice, consentChoices, decideGrant } from "./consent.ts";

const blog = { id: 1, name: "blog" };
const docs = { id: 2, name: "docs" };
const sites = [blog, docs];

const choicesFor = (scope: string, own = sites) => consentChoices(parseScope(scope), own);

describe("a device", () => {
  test.each([
    ["", ["full", "publish", "preview"], sites, [], []],
    ["publish", ["full", "publish", "preview"], sites, [], []],
    ["site:blog", ["publish", "preview"], [blog], ["blog"], []],
    ["preview", ["preview"], sites, [], []],
    ["preview site:docs site:blog", ["preview"], sites, ["blog", "docs"], []],
    ["preview site:docs site:theirs", ["preview"], [docs], ["docs"], ["theirs"]],
    ["site:theirs", ["publish", "preview"], [], [], ["theirs"]],
  ])("that asks for %p is offered no more than that", (scope, extents, offered, preselected, missing) => {
    expect<unknown>(choicesFor(scope)).toEqual({ extents, sites: offered, preselected, missing, newSites: null });
  });

  test("has the person's only site chosen for it", () => {
    expect(choicesFor("preview", [docs]).preselected).toEqual(["docs"]);
  });

  test("of somebody without sites can be given full access only", () => {
    expect(choicesFor("", []).extents).toEqual(["full"]);
    expect(choicesFor("preview", [])).toMatchObject({ extents: ["preview"], sites: [] });
  });
});

const choose = (extent: string | null, siteNames: readonly string[] = [], expires: string | null = null) =>
  ({ extent, siteNames, expires }) satisfies ConsentChoice;

test.each([
  ["", choose(null), { limit: null, lifetime: null }],
  ["", choose("full", ["blog"], "1h"), { limit: null, lifetime: HOUR }],
  ["", choose("preview", ["docs"], "7d"), { limit: { permission: "preview", sites: [docs] }, lifetime: 7 * DAY }],
  ["publish", choose("publish", ["blog"], ""), { limit: { permission: "publish", sites: [blog] }, lifetime: null }],
  ["site:blog", choose("preview", ["blog"]), { limit: { permission: "preview", sites: [blog] }, lifetime: null }],
  ["preview", choose(null, ["docs", "docs"]), { limit: { permission: "preview", sites: [docs] }, lifetime: null }],
])("for the scope %p the choice %j is granted", (scope, choice, granted) => {
  expect<unknown>(decideGrant(choicesFor(scope), choice)).toEqual(granted);
});

test.each([
  ["preview", choose("full"), "choose what it may do"],
  ["preview", choose("publish", ["blog"]), "choose what it may do"],
  ["site:blog", choose("full"), "choose what it may do"],
  ["", choose("everything"), "choose what it may do"],
  ["preview", choose("preview"), "choose at least one site"],
  ["site:blog", choose("publish", ["docs"]), '"docs" is not one of the sites to choose from'],
  ["preview", choose("preview", ["theirs"]), '"theirs" is not one of the sites to choose from'],
  ["", choose("full", [], "90d"), "choose until when it has access"],
])("for the scope %p the choice %j is refused", (scope, choice, problem) => {
  expect(() => decideGrant(choicesFor(scope), choice)).toThrow(problem);
});

test("more sites than a scope holds are refused", () => {
  const own = Array.from({ length: 51 }, (_, id) => ({ id, name: `s${id}` }));
  const all = own.map(({ name }) => name);
  expect(() => decideGrant(choicesFor("preview", own), choose("preview", all))).toThrow("choose at most 50 sites");
});
