import { expect, test } from "bun:test";
import { may, OPERATIONS, type Operation, ROLES, strongest } from "./role.ts";

const operations = Object.keys(OPERATIONS) as Operation[];

test("each role may do everything that the one before may, the owner everything, and nobody else anything", () => {
  for (const operation of operations) {
    const allowed = ROLES.map((role) => may(role, operation));
    expect(allowed).toEqual(allowed.toSorted());
    expect([may("owner", operation), may(null, operation)]).toEqual([true, false]);
  }
});

test("the strongest of several roles counts", () => {
  expect(strongest(["deployer", null, "maintainer", "reader"])).toBe("maintainer");
  expect(strongest([null])).toBeNull();
});
