import { expect, test } from "bun:test";
import { labelOf } from "./alias-words.ts";

test.each([
  ["staging", "staging"],
  ["Feature/New Logo", "feature-new-logo"],
  ["pr_12", "pr-12"],
  ["", null],
  ["12", null],
  ["a".repeat(63), null],
])("the alias %j becomes %j", (name, label) => {
  expect(labelOf(name, "blog")).toBe(label);
});
