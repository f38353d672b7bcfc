import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import type { Job } from "../../api/types.ts";
import { byInterest, durationText, everyText, jobName } from "./job-words.ts";

test.each([
  ["15s", "every 15 seconds"],
  ["1s", "every second"],
  ["1h", "every hour"],
  ["2d", "every 2 days"],
  ["often", "every often"],
])("%s is %s", (every, text) => {
  expect(everyText(every)).toBe(text);
});

test.each([
  [0, "0 ms"],
  [1240, "1.2 s"],
  [126_000, "2 min 6 s"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

/** A job as it is declared, or as one that deletes what is too old. */
const JOB = /(?:\{\s*name: |expiryJob\()"([a-z-]+)",\s+(?:scope: |[A-Z0-9 *]+,)/g;

test("every job of the server has a description", async () => {
  const root = join(import.meta.dir, "../../../src");
  const files = await Array.fromAsync(new Glob("{jobs,app,workers}/**/*.ts").scan(root));
  const sources = await Promise.all(
    files.filter((file) => !file.includes(".test.")).map((file) => Bun.file(join(root, file)).text()),
  );
  const names = sources.flatMap((text) => [...text.matchAll(JOB)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => jobName(name ?? "") === name)).toEqual([]);
});

test("a job without a description shows its name", () => {
  expect([jobName("sweep"), jobName("unheard-of")]).toEqual(["Sweep unused content", "unheard-of"]);
});

test("failed jobs come first, then those that run least often", () => {
  const idle = { last_run_at: null, last_duration_ms: null, next_run_at: null, running: false };
  const job = (name: string, every: string, last_error: string | null = null): Job => ({
    ...idle,
    name,
    every,
    last_error,
  });
  const jobs = [job("often", "15s"), job("daily", "1d"), job("failed", "1s", "no"), job("hourly", "1h")];
  expect(byInterest(jobs).map(({ name }) => name)).toEqual(["failed", "daily", "hourly", "often"]);
});
