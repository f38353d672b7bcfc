import { expect, test } from "bun:test";
import { expiryOf, headingOf, isRollBack, originOf, shortRef, titleOf } from "./words.ts";

test.each([
  ["Fix the typo", "Fix the typo"],
  ["  Fix the typo\n\nIt was wrong.", "Fix the typo"],
  ["\n", null],
  [null, null],
])("the message %j has the title %j", (message, title) => {
  expect(titleOf({ message })).toBe(title);
});

test.each([
  ["9fceb02d0ae598e95dc970b74767f19372d61af8", "refs/heads/main", "session", "9fceb02", "main", null],
  ["r1841", null, "deployment_token", "r1841", null, null],
  [null, "refs/pull/12/merge", "session", null, "pull/12/merge", null],
  [null, null, "session", null, null, "Deployed by hand"],
  [null, null, "deployment_token", null, null, "Deployed with a token"],
] as const)("commit %p and ref %p of a %s are shown as %p, %p, %p", (commit, ref, source, short, branch, otherwise) => {
  expect(originOf({ commit, ref, source })).toEqual({ commit: short, branch, otherwise });
});

test.each([
  ["refs/heads/feature/x", "feature/x"],
  ["refs/tags/v1.2", "v1.2"],
  ["main", "main"],
])("the ref %s is shown as %s", (ref, shown) => {
  expect(shortRef(ref)).toBe(shown);
});

test.each([
  [2, "2026-11-20T16:05:12.418Z", 3, true],
  [4, "2026-11-20T16:05:12.418Z", 3, false],
  [2, null, 3, false],
  [1, "2026-11-20T16:05:12.418Z", null, false],
] as const)("publishing #%i, published at %p, while #%p is live is a roll-back: %p", (number, at, live, isBack) => {
  expect(isRollBack({ deployment_number: number, activated_at: at }, live)).toBe(isBack);
});

const NOW = Date.parse("2026-11-22T22:00:00.000Z");

test.each([
  ["2026-12-22T21:59:55.000Z", "Expires in 30 days", false],
  ["2026-11-24T22:00:00.000Z", "Expires in 2 days", false],
  ["2026-11-24T21:59:00.000Z", "Expires in 48 hours", false],
  ["2026-11-23T22:00:00.000Z", "Expires in 24 hours", false],
  ["2026-11-23T03:10:00.000Z", "Expires in 5 hours", true],
  ["2026-11-22T23:00:00.000Z", "Expires in 1 hour", true],
  ["2026-11-22T22:59:59.000Z", "Expires in less than an hour", true],
  ["2026-11-22T22:00:00.000Z", "Expired", true],
])("an expiry at %s is shown as %j", (at, text, soon) => {
  expect(expiryOf(at, NOW)).toEqual({ text, soon });
});

test("without an expiry nothing is shown", () => {
  expect([expiryOf(null, NOW), expiryOf("", NOW)]).toEqual([null, null]);
});

test.each([
  ["Fix the typo\n\nIt was wrong.", "Fix the typo"],
  [" \n", "Deployment 6"],
  [null, "Deployment 6"],
])("a deployment with the message %j has the heading %s", (message, heading) => {
  expect(headingOf({ message, deployment_number: 6 })).toBe(heading);
});
