import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { newThrottleTable, sharedThrottle, type ThrottleTable } from "./throttle-table.ts";

let now = 1_800_000_000_000;
const clock = { now: () => now };

/** Takes until the bucket is empty. Returns the number of tokens. */
function drain(throttle: { take(subject: string): number }, subject: string): number {
  for (let taken = 0; ; taken++) if (throttle.take(subject) > 0) return taken;
}

test.each([
  [1, SECOND],
  [3, SECOND],
  [7, MINUTE],
  [100, SECOND],
  [9999, SECOND],
])("of %d within %d ms that many are given, then none until the next one is due", (count, window) => {
  const throttle = sharedThrottle(newThrottleTable({ count, window }, now), clock);
  expect(drain(throttle, "ada")).toBe(count);
  expect(throttle.take("ada")).toBeCloseTo(window / count, 1);
  now += Math.ceil(window / count);
  expect(throttle.take("ada")).toBe(0);
  now += window;
  expect(drain(throttle, "ada")).toBe(count);
});

test("each subject has its own bucket", () => {
  const throttle = sharedThrottle(newThrottleTable({ count: 2, window: SECOND }, now), clock);
  const subjects = Array.from({ length: 5000 }, (_, index) => `192.0.2.${index}`);
  expect(subjects.map((subject) => drain(throttle, subject))).toEqual(subjects.map(() => 2));
});

test("a clock that was set back by a day does not block anybody for a day", () => {
  const throttle = sharedThrottle(newThrottleTable({ count: 2, window: SECOND }, now), clock);
  drain(throttle, "ada");
  now -= 86_400_000;
  expect(throttle.take("ada")).toBe(0);
});

test("a bucket that another thread has emptied is also empty for one that read the clock before", () => {
  const table = newThrottleTable({ count: 10, window: 100 * SECOND }, now);
  const late = sharedThrottle(table, { now: () => now });
  const early = sharedThrottle(table, { now: () => now + 100 });
  expect(drain(early, "ada")).toBe(10);
  expect(late.take("ada")).toBeGreaterThan(0);
});

test("a flood of subjects evicts the fullest buckets, and the memory stays the same", () => {
  const throttle = sharedThrottle(newThrottleTable({ count: 10, window: MINUTE }, now), clock);
  drain(throttle, "greedy");
  for (let index = 0; index < 100_000; index++) throttle.take(`flood ${index}`);
  expect(throttle.take("greedy")).toBeGreaterThan(0);
});

describe("a thread that takes everything after a step of another's first take leaves it nothing", () => {
  const rate = { count: 3, window: MINUTE };
  const full = newThrottleTable(rate, now);
  /** More than a first take has. */
  const STEPS = 24;
  beforeAll(() => {
    const flood = sharedThrottle(full, clock);
    for (let index = 0; index < 400_000; index++) flood.take(`flood ${index}`);
  });

  test.each([
    ["an empty", () => newThrottleTable(rate, now)],
    ["a full", () => copyOf(full)],
  ])("in %s table", (_, tableOf) => {
    for (let step = 0; step < STEPS; step++) {
      const table = tableOf();
      const [one, other] = [sharedThrottle(table, clock), sharedThrottle(table, clock)];
      let taken = 0;
      const hasStepped = afterAtomicStep(step, () => {
        taken = drain(other, "ada");
      });
      expect({ step, taken: drain(one, "ada") + taken, hasStepped: hasStepped() }).toEqual({
        step,
        taken: 3,
        hasStepped: true,
      });
    }
  });

  function copyOf(table: ThrottleTable): ThrottleTable {
    const copy = newThrottleTable(table.rate, table.start);
    for (const [name, cells] of Object.entries(table)) {
      if (ArrayBuffer.isView(cells)) (copy[name as keyof ThrottleTable] as Int32Array).set(cells as Int32Array);
    }
    return copy;
  }
});

test("a row that a paused thread has locked refuses new subjects for the time of one token", () => {
  const table = newThrottleTable({ count: 10, window: 10 * SECOND }, now);
  const throttle = sharedThrottle(table, clock);
  throttle.take("ada");
  table.locks.fill(1);
  expect([throttle.take("ada"), throttle.take("eve")]).toEqual([0, SECOND]);
});

/** Calls `act` once, after this many further operations on shared memory. Returns whether it did. */
function afterAtomicStep(step: number, act: () => void): () => boolean {
  let steps = 0;
  const spies = (["load", "store", "compareExchange"] as const).map((name) => {
    const operation = Atomics[name] as (...args: unknown[]) => number;
    return spyOn(Atomics, name).mockImplementation(((...args: unknown[]) => {
      const result = operation(...args);
      if (steps++ === step) {
        for (const spy of spies) spy.mockRestore();
        act();
      }
      return result;
    }) as never);
  });
  return () => steps > step;
}

test("threads share the buckets: together they get as many as a single one", async () => {
  const table = newThrottleTable({ count: 1000, window: MINUTE }, now);
  const source = `
    import { newThrottleTable, sharedThrottle } from ${JSON.stringify(new URL("./throttle-table.ts", import.meta.url).href)};
    self.onmessage = ({ data: { table, now } }) => {
      const throttle = sharedThrottle(table, { now: () => now });
      let taken = 0;
      for (let attempt = 0; attempt < 5000; attempt++) if (throttle.take("ada") === 0) taken++;
      self.postMessage(taken);
    };`;
  const url = URL.createObjectURL(new Blob([source], { type: "application/typescript" }));
  const taken = await Promise.all(
    Array.from({ length: 3 }, () => {
      const worker = new Worker(url);
      const response = new Promise<number>((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
      });
      worker.postMessage({ table, now });
      return response.finally(() => worker.terminate());
    }),
  );
  expect(taken.reduce((total, count) => total + count, 0)).toBe(1000);
});
