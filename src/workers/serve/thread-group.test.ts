import { expect, test } from "bun:test";
import { Worker } from "node:worker_threads";
import { ciIdTokens } from "../../clients/ci/id-tokens.ts";
import { newClockShift } from "../../clients/system/clock.ts";
import { loadConfig } from "../../config/settings.ts";
import { newMeterSlots } from "../../serving/metrics.ts";
import type { ThreadedPublisher } from "../publish/publisher.ts";
import { newShared } from "../shared.ts";
import { startThreadGroup } from "./thread-group.ts";

/** Starts a group of two threads that respond to everything, except that the second one ends with its first ping. */
async function startGroup() {
  const logged: unknown[] = [];
  let count = 0;
  const newWorker = () =>
    new Worker(
      `const { parentPort } = require("node:worker_threads");
       parentPort.on("message", ({ id, name }) => {
         if (name === "ping" && ${++count} === 2) process.exit();
         parentPort.postMessage({ id, value: null });
       });`,
      { eval: true },
    );
  const group = await startThreadGroup(newShared(loadConfig({}), newClockShift()), [newMeterSlots(), newMeterSlots()], {
    publishing: {} as ThreadedPublisher<never, never>,
    control: { maintenance: new Promise(() => {}), idTokens: ciIdTokens([]) },
    member: null,
    log: { info() {}, warn() {}, error: (...line) => logged.push(line) },
    newWorker,
  });
  return { group, logged };
}

test("a thread that ends unexpectedly is reported, and the group is lost", async () => {
  const { group, logged } = await startGroup();
  await expect(group.ping()).rejects.toThrow("the thread ended");
  await group.lost;
  expect(logged).toEqual([["a thread was lost", "it exited"]]);
  group.end();
});

test("threads that are drained are not lost", async () => {
  const { group, logged } = await startGroup();
  await group.drain(0);
  expect([Bun.peek.status(group.lost), logged]).toEqual(["pending", []]);
});
