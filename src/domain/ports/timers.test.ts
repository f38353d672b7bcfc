import { expect, test } from "bun:test";
import { type Timers, withDeadline } from "./timers.ts";

const never: Timers = { elapsed: () => 0, wait: () => new Promise(() => {}) };
const atOnce: Timers = { elapsed: () => 0, wait: async () => {} };

/** Work that ends only when it is aborted. */
const untilStopped = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped")));

test("work is aborted after its time limit, or with its parent", async () => {
  expect(await withDeadline(atOnce, 1000, undefined, untilStopped)).toBe("stopped");
  const stop = new AbortController();
  const stopped = withDeadline(never, 1000, stop.signal, untilStopped);
  stop.abort();
  expect(await stopped).toBe("stopped");
});

test("work that ends in time clears its timer, also when it fails", async () => {
  const given: (AbortSignal | undefined)[] = [];
  const timers: Timers = {
    elapsed: () => 0,
    wait(milliseconds, signal) {
      given.push(signal);
      return never.wait(milliseconds, signal);
    },
  };
  expect(await withDeadline(timers, 1000, undefined, async () => "done")).toBe("done");
  await expect(withDeadline(timers, 1000, undefined, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(given.map((signal) => signal?.aborted)).toEqual([true, true]);
});
