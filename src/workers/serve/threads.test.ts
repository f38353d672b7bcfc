import { expect, test } from "bun:test";
import { MessageChannel } from "node:worker_threads";
import { newMeterSlots } from "../../serving/request-meters.ts";
import { startServingThread, type ThreadHandle } from "./threads.ts";

/** A thread that answers so many questions and then does what `afterwards` says. */
async function threadThat(afterwards: string, questions: number): Promise<ThreadHandle> {
  const source = `
    let left = ${questions};
    self.onmessage = ({ data }) => {
      if (data.kind === "start") postMessage({ kind: "ready", port: 1 });
      if (data.kind === "ask" && left-- > 0) postMessage({ kind: "answered" });
      else if (data.kind === "ask") { ${afterwards} }
    };`;
  const url = URL.createObjectURL(new Blob([source], { type: "application/javascript" }));
  const ports = { publishing: new MessageChannel().port1, meters: newMeterSlots() };
  return startServingThread(new Worker(url), {} as never, ports, () => {});
}

const still = { tired: true };

test("a thread answers again and again, until its event loop hangs", async () => {
  const thread = await threadThat("for (;;);", 2);
  await thread.answer();
  await thread.answer();
  const hanging = thread.answer();
  hanging.catch(() => {});
  expect(await Promise.race([hanging, Bun.sleep(200).then(() => still)])).toBe(still);
  thread.end();
});

test("one that has ended answers and presents no more, and says so at once", async () => {
  const thread = await threadThat("process.exit()", 1);
  await thread.answer();
  await expect(thread.answer()).rejects.toThrow("the thread ended");
  await expect(thread.answer()).rejects.toThrow("the thread ended");
  await expect(thread.present()).rejects.toThrow("the thread ended");
});

test("one that cannot start is ended", async () => {
  const source = `self.onmessage = () => postMessage({ kind: "failed", message: "no port" });`;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "application/javascript" })));
  const ended = new Promise((resolve) => worker.addEventListener("close", resolve));
  const ports = { publishing: new MessageChannel().port1, meters: newMeterSlots() };
  await expect(startServingThread(worker, {} as never, ports, () => {})).rejects.toThrow("no port");
  await ended;
});
