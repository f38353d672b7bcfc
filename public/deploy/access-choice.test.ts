import { expect, test } from "bun:test";
import type { Role } from "../../src/domain/model/role.ts";
import type { Site } from "../api/types.ts";
import { accessChoice, accessOf } from "./access-choice.ts";
import type { Target } from "./target.ts";

const create: Target = { kind: "create" };
const update = (isPrivate: boolean, role: Role = "owner"): Target => {
  return { kind: "update", site: { private: isPrivate, role } as Site };
};
const usual = { defaultAccess: "public", mayMakePublic: true } as const;
const cautious = { defaultAccess: "private", mayMakePublic: true } as const;
const closed = { defaultAccess: "public", mayMakePublic: false } as const;

const FREE = { isPrivate: false, isFixed: false };

test.each([
  ["a new site", create, usual, FREE, [null, "private", "public"]],
  [
    "a new site where they are private",
    create,
    cautious,
    { isPrivate: true, isFixed: false },
    ["private", "private", "public"],
  ],
  [
    "a new site where they must be",
    create,
    closed,
    { isPrivate: true, isFixed: true },
    ["private", "private", "private"],
  ],
  ["a new site before the policy is known", create, undefined, FREE, [null, "private", "public"]],
  ["a public site", update(false), closed, FREE, [null, "private", null]],
  ["a private site", update(true), usual, null, [null, null, null]],
  ["a public site of which one is a deployer", update(false, "deployer"), usual, null, [null, null, null]],
] as const)("the access of %s", (_what, target, policy, choice, sent) => {
  expect(accessChoice(target, policy)).toEqual(choice);
  expect([null, true, false].map((chosen) => accessOf(target, policy, chosen))).toEqual([...sent]);
});
