import { expect, test } from "bun:test";
import { FakeTimers } from "../../jobs/testing/fake-timers.ts";
import { ok } from "../model/finding.ts";
import { MINUTE, SECOND } from "../timestamp.ts";
import { makeExaminer } from "./examiner.ts";

/** An examiner whose checks take as long as the test decides. */
function open() {
  const timers = new FakeTimers();
  const signals: AbortSignal[] = [];
  let next = Promise.withResolvers<undefined>();
  const run = async (signal: AbortSignal) => {
    signals.push(signal);
    await next.promise;
    return [ok("disk", String(signals.length))];
  };
  const examiner = makeExaminer({ run, timers, clock: { now: () => timers.elapsed() } });
  const end = () => next.resolve(undefined);
  const fail = (error: Error) => {
    next.reject(error);
    next = Promise.withResolvers();
  };
  return { examiner, timers, signals, end, fail };
}

test("checks run once at a time, and their findings are reused for half a minute", async () => {
  const { examiner, timers, signals, end } = open();
  const both = [examiner.examine(), examiner.examine()];
  await timers.pass(5 * SECOND);
  end();
  const found = { checkedAt: 5 * SECOND, findings: [ok("disk", "1")] };
  expect(await Promise.all(both)).toEqual([found, found]);
  await timers.pass(29 * SECOND);
  expect(await examiner.examine()).toEqual(found);
  await timers.pass(SECOND);
  expect((await examiner.examine()).findings).toEqual([ok("disk", "2")]);
  expect(signals).toHaveLength(2);
});

test("checks that time out are aborted, and the next request runs them again", async () => {
  const { examiner, timers, signals, end } = open();
  const requested = examiner.examine();
  requested.catch(() => {});
  await timers.pass(MINUTE);
  expect(requested).rejects.toThrow("the checks could not be run: no end after 60 s");
  expect(signals[0]?.aborted).toBe(true);
  end();
  expect((await examiner.examine()).findings).toEqual([ok("disk", "2")]);
});

test("checks that cannot run return the reason, and the next request runs them again", async () => {
  const { examiner, end, fail } = open();
  const requested = examiner.examine();
  fail(new Error("no such file"));
  expect(requested).rejects.toMatchObject({ kind: "unavailable", detail: expect.stringContaining("no such file") });
  await requested.catch(() => {});
  end();
  expect((await examiner.examine()).findings).toEqual([ok("disk", "2")]);
});

test("the end of the server aborts running checks", () => {
  const { examiner, signals } = open();
  examiner.examine().catch(() => {});
  examiner.stop();
  expect(signals[0]?.aborted).toBe(true);
});
