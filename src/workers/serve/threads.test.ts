import { expect, test } from "bun:test";
import { Worker } from "node:worker_threads";
import { type ServingThread, startServingThread } from "./threads.ts";

/** Starts a thread that handles every call with the body of a function, `handle`. */
function startThread(handle: string): Promise<ServingThread> {
  const source = `
    const { parentPort } = require("node:worker_threads");
    const handle = (name) => { ${handle} };
    parentPort.on("message", ({ id, name }) => {
      const error = handle(name);
      parentPort.postMessage(error === undefined ? { id, value: null } : { id, error: { message: error } });
    });`;
  return startServingThread(new Worker(source, { eval: true }), () => {});
}

const pending = { pending: true };

test("a thread responds repeatedly until its event loop hangs", async () => {
  const thread = await startThread(`handle.pings = (handle.pings ?? 0) + 1; if (handle.pings > 3) for (;;);`);
  await thread.ping();
  await thread.ping();
  const hanging = thread.ping();
  hanging.catch(() => {});
  expect(await Promise.race([hanging, Bun.sleep(200).then(() => pending)])).toBe(pending);
  thread.end();
});

test("a thread that has ended rejects every call at once", async () => {
  const thread = await startThread(`if (name === "ping") process.exit();`);
  await expect(thread.ping()).rejects.toThrow("the thread ended");
  await expect(thread.ping()).rejects.toThrow("the thread ended");
  await expect(thread.present()).rejects.toThrow("the thread ended");
});

test("a thread that dies while it drains counts as drained", async () => {
  const thread = await startThread(`if (name === "drain") process.exit();`);
  await thread.drain();
});

test("a thread that cannot listen is ended", async () => {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
     parentPort.on("message", ({ id }) => parentPort.postMessage({ id, error: { message: "no port" } }));`,
    { eval: true },
  );
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  await expect(startServingThread(worker, () => {})).rejects.toThrow("no port");
  await ended;
});
