import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { FakeTimers } from "../jobs/testing/fake-timers.ts";
import { BackgroundThread } from "./background-thread.ts";

function threadOf() {
  const calls: string[] = [];
  const worker = Object.assign(new EventEmitter(), {
    unref() {},
    postMessage: (message: string) => calls.push(message),
  });
  const timers = new FakeTimers();
  const failures: unknown[] = [];
  const thread = new BackgroundThread(
    () => worker as unknown as Worker,
    (error) => failures.push(error),
    timers,
  );
  return { worker, calls, timers, failures, thread };
}

test("a thread that failed is not started again at once", async () => {
  const { worker, timers, failures, thread } = threadOf();
  thread.start();
  worker.emit("error", new Error("the disk is full"));
  worker.emit("exit");
  expect(failures).toHaveLength(1);
  expect([thread.isRunning, thread.isResting]).toEqual([false, true]);
  await timers.pass(MINUTE);
  expect(thread.isResting).toBe(false);
});

test("a thread that has done its work may be started at once", () => {
  const { worker, thread } = threadOf();
  thread.start();
  expect(thread.isRunning).toBe(true);
  worker.emit("exit");
  expect([thread.isRunning, thread.isResting]).toEqual([false, false]);
});

test("a stop asks the thread to end and does not wait for longer than two seconds", async () => {
  const { calls, timers, thread } = threadOf();
  thread.start();
  const stopping = thread.stop().then(() => "stopped");
  await timers.pass(2 * SECOND - 1);
  expect(calls).toEqual(["stop"]);
  expect(await Promise.race([stopping, "waiting"])).toBe("waiting");
  await timers.pass(1);
  expect(await Promise.race([stopping, "waiting"])).toBe("stopped");
});

test("a stop resolves when the thread has ended, and its timer with it", async () => {
  const { worker, timers, thread } = threadOf();
  thread.start();
  const stopping = thread.stop();
  worker.emit("exit");
  await stopping;
  expect([thread.isRunning, timers.isWaiting]).toEqual([false, false]);
});
