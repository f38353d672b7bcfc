import { expect, test } from "bun:test";
import { joined } from "./pages.ts";

test.each<[what: string, newest: number[], known: number[], rows: number[]]>([
  ["nothing is known but the newest page", [9, 8, 7], [9, 8, 7], [9, 8, 7]],
  ["older rows follow the newest page", [9, 8, 7], [9, 8, 7, 6, 5], [9, 8, 7, 6, 5]],
  ["new rows push others out of the newest page", [10, 9, 8], [9, 8, 7, 6, 5], [10, 9, 8, 7, 6, 5]],
  ["the newest page ends where what is known begins", [11, 10, 9], [9, 8, 7, 6], [11, 10, 9, 8, 7, 6]],
  ["more is new than a page holds", [13, 12, 11], [9, 8, 7, 6, 5], [13, 12, 11]],
  ["rows that are gone are not brought back", [9, 7, 5], [9, 8, 7, 6, 5, 4], [9, 7, 5, 4]],
  ["the newest page reaches further than what is known", [9, 5, 4], [9, 8, 7, 6, 5], [9, 5, 4]],
  ["everything is gone", [], [9, 8, 7], []],
])("%s", (_, newest, known, rows) => {
  expect(joined(newest, known, (row) => row)).toEqual(rows);
});

test("the newest page determines the data of a row", () => {
  const row = (key: number, live: boolean) => ({ key, live });
  const rows = joined([row(3, false), row(2, true)], [row(3, true), row(2, false), row(1, false)], ({ key }) => key);
  expect(rows).toEqual([row(3, false), row(2, true), row(1, false)]);
});
