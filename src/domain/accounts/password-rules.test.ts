import { expect, test } from "bun:test";
import { isPasswordTooLong, passwordProblem } from "./password-rules.ts";

test.each([
  ["", "The password is empty"],
  ["1234567", "at least 8 characters"],
  ["12345678", null],
  // Four characters of two UTF-16 code units each.
  ["😀😀😀😀", "at least 8 characters"],
  ["😀".repeat(8), null],
  ["😀".repeat(1024), null],
  ["😀".repeat(1025), "at most 1024 characters"],
  ["a".repeat(1025), "at most 1024 characters"],
])("%p as a new password: %p", (password, problem) => {
  if (problem === null) expect(passwordProblem(password)).toBeNull();
  else expect(passwordProblem(password)).toContain(problem);
});

test("a password from before the minimum length may be used to sign in, and only one that is too long is refused", () => {
  expect([isPasswordTooLong("x"), isPasswordTooLong("a".repeat(1024)), isPasswordTooLong("a".repeat(1025))]).toEqual([
    false,
    false,
    true,
  ]);
});
