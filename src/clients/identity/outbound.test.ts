import { expect, test } from "bun:test";
import { nameOrNull } from "./outbound.ts";

test.each([
  ["The Octocat", "The Octocat"],
  ["ada\u202enimda\n", "ada\ufffdnimda\ufffd"],
  ["🎓".repeat(101), "🎓".repeat(100)],
  [" ", null],
  [7, null],
])("a user whom the provider calls %j is shown as %j", (given, shown) => {
  expect(nameOrNull(given)).toBe(shown);
});
