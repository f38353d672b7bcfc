import { expect, test } from "bun:test";
import { rangeOf } from "./range.ts";

test.each([
  ["", 30],
  ["?days=7", 7],
  ["?days=90&x=1", 90],
  ["?days=8", 30],
  ["?days=seven", 30],
])("an address with %p shows %p days", (search, days) => {
  expect(rangeOf(search)).toBe(days);
});
