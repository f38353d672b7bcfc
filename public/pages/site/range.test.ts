import { expect, test } from "bun:test";
import { apiQueryOf, queryBefore, queryOf, RANGES, rangeOf, trendOf } from "./range.ts";

test.each([
  ["?days=7", "7 days"],
  ["?days=90", "90 days"],
  ["?hours=48", "48 hours"],
  ["", "30 days"],
  ["?days=48", "30 days"],
  ["?hours=7", "30 days"],
  ["?days=1e9", "30 days"],
  ["?days=", "30 days"],
  ["?days=constructor", "30 days"],
])("%j shows %s", (search, name) => {
  expect(rangeOf(search).name).toBe(name);
});

test("each range can be parsed from its own query", () => {
  expect(RANGES.map((range) => rangeOf(queryOf(range)))).toEqual([...RANGES]);
});

test("days end with today in UTC, and hours are the server's last ones", () => {
  const now = new Date("2026-11-22T22:10:00Z");
  expect(RANGES.map((range) => apiQueryOf(range, now))).toEqual([
    "interval=hour",
    "from=2026-11-16&to=2026-11-22",
    "from=2026-10-24&to=2026-11-22",
    "from=2026-08-25&to=2026-11-22",
  ]);
});

test("the days before a range end where it starts", () => {
  const now = new Date("2026-11-22T22:10:00Z");
  expect(RANGES.map((range) => queryBefore(range, now))).toEqual([
    null,
    "from=2026-11-09&to=2026-11-15",
    "from=2026-09-24&to=2026-10-23",
    "from=2026-05-27&to=2026-08-24",
  ]);
});

test.each([
  [112, 100, "+12 %"],
  [91, 100, "−9 %"],
  [0, 100, "−100 %"],
  [1000, 1001, "±0 %"],
  [1, 0, ""],
  [0, 0, ""],
  [11_000, 1000, "> +999 %"],
])("%p after %p is shown as %p", (value, before, trend) => {
  expect(trendOf(value, before)).toBe(trend);
});
