import { expect, test } from "bun:test";
import { count, formatBytes, formatRelative } from "./format.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [48_213, "48.2 kB"],
  [536_870_912, "537 MB"],
  [1.5e12, "1.5 TB"],
  [9e15, "9000 TB"],
])("%p bytes read as %p", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [10, "just now"],
  [-10, "just now"],
  [90, "1 minute ago"],
  [3 * 3600 + 5, "3 hours ago"],
  [26 * 3600, "yesterday"],
  [40 * 86_400, "last month"],
  [-3 * 86_400, "in 3 days"],
])("%p seconds ago reads as %p", (seconds, text) => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  expect(formatRelative(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
});

test("a count has its noun", () => {
  expect([count(1, "file"), count(1200, "file"), count(0, "reply", "replies")]).toEqual([
    "1 file",
    "1,200 files",
    "0 replies",
  ]);
});
