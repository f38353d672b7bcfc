import { expect, test } from "bun:test";
import { MAX_GROUP_NAME_LENGTH, MAX_GROUPS, type ToldGroups } from "../../domain/model/group.ts";
import { readGroups } from "./oidc-groups.ts";

type Claims = Record<string, unknown>;

const told = (...names: string[]): ToldGroups => ({ outcome: "told", names });
const NONE: ToldGroups = { outcome: "absent", names: [] };
const OVERAGE: ToldGroups = { outcome: "overage" };

const many = (count: number, prefix = "g") => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const longest = "x".repeat(MAX_GROUP_NAME_LENGTH);

/** The case, the claims of each source, and what they tell. */
const BY_NAME: readonly [string, Claims[], ToldGroups][] = [
  ["a list", [{ groups: ["team", "docs"] }], told("team", "docs")],
  ["one text is one group", [{ groups: "team docs" }], told("team docs")],
  [
    "opaque names",
    [{ groups: ["/team/docs", "Team", "team", "b7c1-2e"] }],
    told("/team/docs", "Team", "team", "b7c1-2e"),
  ],
  ["both sources, once", [{ groups: ["team", "docs"] }, { groups: ["docs", "web"] }], told("team", "docs", "web")],
  ["userinfo alone", [{}, { groups: ["team"] }], told("team")],
  ["an empty list", [{ groups: [] }], told()],
  ["no claim", [{ sub: "a" }, {}], NONE],
  ["null", [{ groups: null }], NONE],
  ["names that nobody can write", [{ groups: ["", "a\u0000b", "\u202ea", 7, null, { name: "a" }, "ok"] }], told("ok")],
  ["the longest name, and a longer one", [{ groups: [longest, `${longest}x`] }], told(longest)],
  ["as many as there may be", [{ groups: many(MAX_GROUPS) }], told(...many(MAX_GROUPS))],
  ["one more", [{ groups: many(MAX_GROUPS + 1) }], { outcome: "too_many" }],
  ["one more in two sources", [{ groups: many(MAX_GROUPS) }, { groups: ["x"] }], { outcome: "too_many" }],
  ["an object", [{ groups: { team: true } }], { outcome: "unreadable" }],
  ["a number", [{ groups: 7 }, {}], { outcome: "unreadable" }],
  ["groups elsewhere", [{ _claim_names: { groups: "src1" }, _claim_sources: {} }, {}], OVERAGE],
  ["another claim elsewhere", [{ _claim_names: { roles: "src1" } }], NONE],
  ["hasgroups", [{ hasgroups: true }], OVERAGE],
  ["hasgroups as text", [{ hasgroups: "true" }, {}], OVERAGE],
  ["no groups, in words", [{ hasgroups: false }], NONE],
  ["elsewhere, and listed by userinfo", [{ _claim_names: { groups: "src1" } }, { groups: ["team"] }], told("team")],
];

test.each(BY_NAME)("groups from a claim: %s", (_what, sources, expected) => {
  expect(readGroups("groups", sources)).toEqual(expected);
});

test.each<[string, Claims, ToldGroups]>([
  ["realm_access.roles", { realm_access: { roles: ["editor"] } }, told("editor")],
  ["realm_access.roles", { "realm_access.roles": ["literal"], realm_access: { roles: ["path"] } }, told("literal")],
  ["https://example.org/groups", { "https://example.org/groups": ["team"] }, told("team")],
  ["realm_access.roles", { realm_access: "roles" }, NONE],
  ["a.b.c", { a: { b: null } }, NONE],
  ["constructor.name", {}, NONE],
  ["__proto__", {}, NONE],
])("groups at %s: the literal name, and then the path", (claim, claims, expected) => {
  expect(readGroups(claim, [claims])).toEqual(expected);
});
