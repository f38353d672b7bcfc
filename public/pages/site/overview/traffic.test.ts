import { expect, test } from "bun:test";
import { percentWords, scaleEnd, trendOf } from "./traffic.ts";

const day = (views: number) => ({ day: "2026-11-22", views, visitors: 0, bytes: 2 * views, bot_views: 0 });
const days = (before: number, shown: number) => [
  ...Array.from({ length: 30 }, () => day(before)),
  ...Array.from({ length: 30 }, () => day(shown)),
];

test("the last 30 days are compared with the 30 before", () => {
  expect(trendOf(days(10, 12), "views")).toEqual({ total: 360, percent: 20 });
  expect(trendOf(days(10, 5), "bytes")).toEqual({ total: 300, percent: -50 });
  expect(trendOf(days(0, 5), "views")).toEqual({ total: 150, percent: null });
  expect(trendOf([], "views")).toEqual({ total: 0, percent: null });
});

test.each([
  [12, "+12 %"],
  [-3, "−3 %"],
  [0, null],
  [null, null],
  [4000, null],
])("%p percent are shown as %p", (percent, words) => {
  expect(percentWords({ total: 1, percent })).toBe(words);
});

test.each([
  [0, 8],
  [8, 8],
  [9, 10],
  [11, 20],
  [41, 50],
  [5013, 6000],
  [10_000, 10_000],
])("a peak of %i fits a scale to %i", (peak, end) => {
  expect(scaleEnd(peak)).toBe(end);
});
