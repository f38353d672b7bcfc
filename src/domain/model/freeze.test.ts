import { expect, test } from "bun:test";
import { newFreeze, requireUnfrozenAccount, siteFrozen } from "./freeze.ts";

test.each([
  [null, null],
  ["", null],
  ["  ", null],
  [" phishing ", "phishing"],
])("the reason %p is stored as %p", (given, kept) => {
  expect(newFreeze(given, 7)).toEqual({ at: 7, reason: kept });
});

test.each([["two\nlines"], ["\u001b[31mred"], ["\u202ephishing"], ["x".repeat(501)]])(
  "%p is not accepted as a reason",
  (given) => {
    expect(() => newFreeze(given, 0)).toThrow("the reason ");
  },
);

test("the owner sees the reason, if there is one", () => {
  expect(siteFrozen("demo", { at: 0, reason: "phishing" }).detail).toBe(
    "site is frozen: the operator froze demo: phishing",
  );
  expect(() => requireUnfrozenAccount({ at: 0, reason: null })).toThrow("account is frozen: ask the operator");
  expect(() => requireUnfrozenAccount({ at: 0, reason: "unpaid" })).toThrow("account is frozen: unpaid: ask");
});
