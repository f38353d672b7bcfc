import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { MINUTE } from "../domain/timestamp.ts";
import { BackgroundThread } from "./background-thread.ts";

function threadOf() {
  const worker = Object.assign(new EventEmitter(), { unref() {} });
  const time = { elapsed: 0 };
  const failures: unknown[] = [];
  const thread = new BackgroundThread(
    () => worker as unknown as Worker,
    (error) => failures.push(error),
    () => time.elapsed,
  );
  return { worker, time, failures, thread };
}

test("a thread that failed is not started again at once", () => {
  const { worker, time, failures, thread } = threadOf();
  thread.start();
  worker.emit("error", new Error("the disk is full"));
  worker.emit("exit");
  expect(failures).toHaveLength(1);
  expect([thread.isRunning, thread.isResting]).toEqual([false, true]);
  time.elapsed = MINUTE;
  expect(thread.isResting).toBe(false);
});

test("a thread that has done its work may be started at once", () => {
  const { worker, thread } = threadOf();
  thread.start();
  expect(thread.isRunning).toBe(true);
  worker.emit("exit");
  expect([thread.isRunning, thread.isResting]).toEqual([false, false]);
});
