import { expect, test } from "bun:test";
import { userNameProblem } from "./user.ts";

const TOO_LONG = "The name may have at most 100 characters.";
const UNPRINTABLE = "The name may not hold control characters.";

test.each([
  ["Ada Lovelace", null],
  ["x".repeat(100), null],
  ["🎓".repeat(100), null],
  ["x".repeat(101), TOO_LONG],
  ["🎓".repeat(101), TOO_LONG],
  ["a\nb", UNPRINTABLE],
  ["a\u202eb", UNPRINTABLE],
  ["a\ud800", UNPRINTABLE],
])("%j as the name of a user: %s", (name, problem) => {
  expect(userNameProblem(name)).toBe(problem);
});
