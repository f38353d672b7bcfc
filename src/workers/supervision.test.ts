import { afterAll, beforeEach, describe, expect, jest, test } from "bun:test";
import { startBeating, watchdogInterval } from "./supervision.ts";

test.each([
  [{}, null],
  [{ WATCHDOG_USEC: "60000000" }, 60_000],
  [{ WATCHDOG_USEC: "60000000", WATCHDOG_PID: "7" }, 60_000],
  [{ WATCHDOG_USEC: "60000000", WATCHDOG_PID: "8" }, null],
  [{ WATCHDOG_USEC: "0" }, null],
  [{ WATCHDOG_USEC: "soon" }, null],
])("%j for process 7 requires a message every %p ms", (env, interval) => {
  expect(watchdogInterval(env, 7)).toBe(interval);
});

describe("watchdog messages", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  /** Sends messages every 100 ms. `answers` is the response of each thread. */
  function beating(responses: () => Promise<void>) {
    let requested = 0;
    let beats = 0;
    const asking = () => {
      requested++;
      return responses();
    };
    const { stop } = startBeating(100, asking, () => beats++);
    const pass = async (milliseconds: number) => {
      jest.advanceTimersByTime(milliseconds);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    };
    return { stop, pass, seen: () => ({ requested, beats }) };
  }

  test("are sent after every response, the first at once", async () => {
    const { pass, seen, stop } = beating(async () => {});
    await pass(0);
    expect(seen()).toEqual({ requested: 1, beats: 1 });
    await pass(100);
    await pass(100);
    expect(seen()).toEqual({ requested: 3, beats: 3 });
    stop();
  });

  test("stop while a thread does not respond, which gets no second question, and resume afterwards", async () => {
    let late = Promise.withResolvers<void>();
    const { pass, seen, stop } = beating(() => late.promise);
    await pass(500);
    expect(seen()).toEqual({ requested: 1, beats: 0 });
    late.resolve();
    await pass(0);
    expect(seen()).toEqual({ requested: 1, beats: 1 });
    late = Promise.withResolvers();
    await pass(500);
    expect(seen()).toEqual({ requested: 2, beats: 1 });
    stop();
  });

  test("stop permanently when a thread has ended", async () => {
    const { pass, seen, stop } = beating(() => Promise.reject(new Error("the thread ended")));
    await pass(0);
    await pass(500);
    expect(seen()).toEqual({ requested: 1, beats: 0 });
    stop();
  });

  test("stop with the server, even if a response comes late", async () => {
    const late = Promise.withResolvers<void>();
    const { pass, seen, stop } = beating(() => late.promise);
    stop();
    late.resolve();
    await pass(500);
    expect(seen()).toEqual({ requested: 1, beats: 0 });
  });
});
