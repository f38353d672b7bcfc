import { expect, test } from "bun:test";
import { policySentence, ruleOf } from "./policy-words.ts";

test.each([
  [null, null, "Every deployment stays."],
  [1, null, "Of all deployments, the newest deployment stays."],
  [20, null, "Of all deployments, the newest 20 deployments stay."],
  [null, 1, "Of all deployments, those made or live in the last day stay."],
  [null, 90, "Of all deployments, those made or live in the last 90 days stay."],
  [5, 30, "Of all deployments, the newest 5 deployments and those made or live in the last 30 days stay."],
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
