import { expect, test } from "bun:test";
import { moreOf } from "./scrolls.ts";

test.each([
  [0, 0, null],
  [0.5, 1, null],
  [0, 80, "end"],
  [80, 0, "start"],
  [40, 40, "both"],
] as const)("a row with %d pixels before and %d after shows more at: %p", (before, after, more) => {
  expect(moreOf(before, after)).toBe(more);
});
