import { expect, test } from "bun:test";
import { DAY } from "../domain/timestamp.ts";
import { auditJobs } from "./audit.ts";

/** The job over a log of so many old entries, and a record of what it asked for. */
function newJob(days: number | null, old: number) {
  const asked: number[] = [];
  const audit = {
    async dropOldest(before: number, limit: number) {
      asked.push(before);
      const dropped = Math.min(old, limit);
      old -= dropped;
      return dropped;
    },
  };
  const paused: number[] = [];
  const [job] = auditJobs(
    {
      store: { audit } as never,
      clock: { now: () => 400 * DAY },
      log: { info() {}, warn() {}, error() {} },
      pause: async () => void paused.push(old),
    },
    days,
  );
  return { job, asked, paused };
}

const run = { signal: new AbortController().signal, clockTrusted: true };

test("entries older than so many days are dropped in batches, and others have their turn in between", async () => {
  const { job, asked, paused } = newJob(365, 4500);
  await job?.run(run);
  expect(asked).toEqual([35 * DAY, 35 * DAY, 35 * DAY]);
  expect(paused).toEqual([2500, 500]);
});

test("nothing is dropped while the clock is in doubt", async () => {
  const { job, asked } = newJob(365, 10);
  await job?.run({ ...run, clockTrusted: false });
  expect(asked).toEqual([]);
});

test("a run that is stopped drops no further batch", async () => {
  const { job, asked } = newJob(365, 10_000);
  await expect(job?.run({ ...run, signal: AbortSignal.abort() })).rejects.toThrow();
  expect(asked).toHaveLength(1);
});

test("a log that is kept for ever needs no job", () => {
  expect(newJob(null, 10).job).toBeUndefined();
});
