import { expect, test } from "bun:test";
import { graceOf, policySentence, ruleOf } from "./policy-words.ts";

test.each([
  [null, null, "All deployments are kept."],
  [1, null, "The newest deployment is kept."],
  [20, null, "The newest 20 deployments are kept."],
  [null, 1, "Deployments created or live in the last day are kept."],
  [null, 90, "Deployments created or live in the last 90 days are kept."],
  [5, 30, "Deployments created or live in the last 30 days and the newest 5 deployments are kept."],
])("last %p and days %p: %s", (keep_last, keep_days, sentence) => {
  expect(policySentence({ keep_last, keep_days })).toBe(sentence);
});

test.each([
  ["", null],
  [" ", null],
  ["20", 20],
  [" 7 ", 7],
  ["0", undefined],
  ["-3", undefined],
  ["2.5", undefined],
  ["many", undefined],
  ["100000", undefined],
])("%p is the rule %p", (text, rule) => {
  expect(ruleOf(text)).toBe(rule);
});

test.each([
  ["", null],
  ["0", 0],
  [" 7 ", 7],
  ["90", 90],
  ["91", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["week", undefined],
])("%p is the grace period %p", (text, days) => {
  expect(graceOf(text)).toBe(days);
});
