import { expect, test } from "bun:test";
import { DAY } from "../domain/timestamp.ts";
import { auditJob } from "./audit.ts";
import { RUN } from "./testing/run.ts";

/** The job with a log of `old` old entries, and its calls. */
function jobWithLog(days: number, old: number) {
  const requested: number[] = [];
  const audit = {
    async deleteOldest(before: number, limit: number) {
      requested.push(before);
      const dropped = Math.min(old, limit);
      old -= dropped;
      return dropped;
    },
  };
  const paused: number[] = [];
  const job = auditJob(
    {
      store: { audit } as never,
      clock: { now: () => 400 * DAY },
      log: { info() {}, warn() {}, error() {} },
      pause: async () => void paused.push(old),
    },
    days,
  );
  return { job, requested, paused };
}

test("old entries are deleted in batches, with pauses in between", async () => {
  const { job, requested, paused } = jobWithLog(365, 4500);
  await job.run(RUN);
  expect(requested).toEqual([35 * DAY, 35 * DAY, 35 * DAY]);
  expect(paused).toEqual([2500, 500]);
});

test("nothing is deleted while the clock is not trusted", async () => {
  const { job, requested } = jobWithLog(365, 10);
  await job.run({ ...RUN, clockTrusted: false });
  expect(requested).toEqual([]);
});

test("an aborted run deletes no further batch", async () => {
  const { job, requested } = jobWithLog(365, 10_000);
  await expect(job.run({ ...RUN, signal: AbortSignal.abort() })).rejects.toThrow();
  expect(requested).toHaveLength(1);
});
