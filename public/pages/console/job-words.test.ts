import { expect, test } from "bun:test";
import type { Job } from "../../api/types.ts";
import { byInterest, durationText, everyText, paceText } from "./job-words.ts";

test.each([
  ["15s", "every 15 seconds"],
  ["1s", "every second"],
  ["1h", "every hour"],
  ["2d", "every 2 days"],
  ["often", "every often"],
])("%s is %s", (every, text) => {
  expect(everyText(every)).toBe(text);
});

test("a job that runs each second is said to look for work", () => {
  expect([paceText("1s"), paceText("15s")]).toEqual(["looks for work every second", "every 15 seconds"]);
});

test.each([
  [0, "0 ms"],
  [1240, "1.2 s"],
  [126_000, "2 min 6 s"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("failed jobs come first, then those that run least often", () => {
  const idle = { last_run_at: null, last_duration_ms: null, next_run_at: null, running: false };
  const job = (name: string, every: string, last_error: string | null = null): Job => ({
    ...idle,
    name,
    title: name,
    every,
    last_error,
  });
  const jobs = [job("often", "15s"), job("daily", "1d"), job("failed", "1s", "no"), job("hourly", "1h")];
  expect(byInterest(jobs).map(({ name }) => name)).toEqual(["failed", "daily", "hourly", "often"]);
});
