import { expect, test } from "bun:test";
import { joined } from "./pages.ts";

test.each<[what: string, newest: number[], known: number[], rows: number[]]>([
  ["only the newest page is loaded", [9, 8, 7], [9, 8, 7], [9, 8, 7]],
  ["older rows follow the newest page", [9, 8, 7], [9, 8, 7, 6, 5], [9, 8, 7, 6, 5]],
  ["new rows push others out of the newest page", [10, 9, 8], [9, 8, 7, 6, 5], [10, 9, 8, 7, 6, 5]],
  ["the newest page ends where the loaded rows start", [11, 10, 9], [9, 8, 7, 6], [11, 10, 9, 8, 7, 6]],
  ["there are more new rows than fit a page", [13, 12, 11], [9, 8, 7, 6, 5], [13, 12, 11]],
  ["deleted rows do not come back", [9, 7, 5], [9, 8, 7, 6, 5, 4], [9, 7, 5, 4]],
  ["the newest page extends beyond the loaded rows", [9, 5, 4], [9, 8, 7, 6, 5], [9, 5, 4]],
  ["all rows were deleted", [], [9, 8, 7], []],
])("%s", (_, newest, known, rows) => {
  expect(joined(newest, known, (row) => row)).toEqual(rows);
});

test("the newest page determines the data of a row", () => {
  const row = (key: number, live: boolean) => ({ key, live });
  const rows = joined([row(3, false), row(2, true)], [row(3, true), row(2, false), row(1, false)], ({ key }) => key);
  expect(rows).toEqual([row(3, false), row(2, true), row(1, false)]);
});
