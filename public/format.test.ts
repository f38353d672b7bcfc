import { expect, test } from "bun:test";
import {
  count,
  formatDate,
  formatDue,
  formatFigure,
  formatMoment,
  formatRelative,
  formatTick,
  formatUrl,
  initialOf,
  withMoments,
} from "./format.ts";

test.each([
  [10, "just now"],
  [-10, "just now"],
  [90, "1 minute ago"],
  [3 * 3600 + 5, "3 hours ago"],
  // Across midnight, a month or a year, calendar days would differ.
  [26 * 3600, "1 day ago"],
  [40 * 86_400, "1 month ago"],
  [400 * 86_400, "1 year ago"],
  [-3 * 86_400, "in 3 days"],
])("%p seconds ago is shown as %p", (seconds, text) => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  expect(formatRelative(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
});

test.each([
  [-5, "within a minute"],
  [20, "within a minute"],
  [90, "in 1 minute"],
  [3 * 3600, "in 3 hours"],
])("a time in %p seconds is shown as %s", (seconds, text) => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  expect(formatDue(new Date(now + seconds * 1000).toISOString(), now)).toBe(text);
});

test("a date has its year", () => {
  expect(formatDate(new Date(2024, 9, 22, 12).toISOString())).toBe("22 Oct 2024");
});

test("a count has the right plural", () => {
  expect([count(1, "file"), count(1200, "file"), count(0, "reply", "replies")]).toEqual([
    "1 file",
    "1,200 files",
    "0 replies",
  ]);
});

test.each([
  [0, "0", "0"],
  [7500, "7,500", "7,500"],
  [12_500, "12.5K", "12,500"],
  [1_250_000, "1.25M", "1,250,000"],
  [12_345_678, "12.35M", "12.35M"],
  [123_456_789_012, "123.5B", "123.5B"],
])("%p is shown as %p on an axis, and as %p in a figure", (value, tick, figure) => {
  expect([formatTick(value), formatFigure(value)]).toEqual([tick, figure]);
});

test.each([
  ["ada", "A"],
  ["👩🏽‍🚀 Sally", "👩🏽‍🚀"],
  ["😀😀", "😀"],
  ["", ""],
])("the initial of %p is %p", (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});

test("a message contains the beginning of a long URL", () => {
  expect(formatUrl("https://hooks.example.org/a")).toBe("https://hooks.example.org/a");
  expect(formatUrl(`https://hooks.example.org/${"a".repeat(2000)}`)).toHaveLength(61);
});

test("a time in a text of the API is shown as all other times", () => {
  const at = "2026-12-03T10:00:00.000Z";
  expect(withMoments(`Let the site expire at ${at}, as maintainer`)).toBe(
    `Let the site expire at ${formatMoment(at)}, as maintainer`,
  );
  expect(withMoments("Added the domain 2026.example.org")).toBe("Added the domain 2026.example.org");
});
