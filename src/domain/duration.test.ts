import { expect, test } from "bun:test";
import { formatDuration, parseDuration, requireDuration } from "./duration.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./timestamp.ts";

test.each([
  ["1s", SECOND],
  ["90s", 90 * SECOND],
  ["15m", 15 * MINUTE],
  ["12h", 12 * HOUR],
  ["14d", 14 * DAY],
  ["14 d", 14 * DAY],
  ["007d", 7 * DAY],
  ["999999999999s", 999_999_999_999 * SECOND],
  ["999999999999d", null],
  ["0d", null],
  ["-1d", null],
  ["1.5h", null],
  ["1d12h", null],
  ["14", null],
  ["14D", null],
  [" 14d", null],
  ["14d\n", null],
  ["1e3s", null],
  ["٣d", null],
  ["", null],
])("%p is %p milliseconds", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  [365 * DAY, "365d"],
  [36 * HOUR, "36h"],
  [90 * MINUTE, "90m"],
  [61 * SECOND, "61s"],
])("%p milliseconds are %p", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("a duration in a request is within its limits, both included", () => {
  const bounds = { loc: ["body", "expires_in"], min: HOUR, max: 365 * DAY };
  expect(requireDuration("1h", bounds)).toBe(HOUR);
  expect(requireDuration("365d", bounds)).toBe(365 * DAY);
  for (const text of ["59m", "366d", "soon"]) {
    expect(() => requireDuration(text, bounds)).toThrow("Give a time from 1h to 365d, such as 14d");
  }
});
