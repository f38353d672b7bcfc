import { expect, test } from "bun:test";
import { repeat } from "./reloads.ts";

function start() {
  const waiting: (() => void)[] = [];
  const responses: (() => void)[] = [];
  const reload = () => new Promise<void>((response) => responses.push(response));
  const end = repeat(reload, 1000, (_milliseconds, run) => {
    waiting.push(run);
    return () => waiting.splice(waiting.indexOf(run), 1);
  });
  return { waiting, responses, end };
}

test("the next reload waits for the response of the one before, also if that is the same", async () => {
  const { waiting, responses } = start();
  for (const reload of [1, 2, 3]) {
    expect([waiting.length, responses.length]).toEqual([1, reload - 1]);
    waiting.pop()?.();
    expect([waiting.length, responses.length]).toEqual([0, reload]);
    responses.at(-1)?.();
    await Bun.sleep(0);
  }
});

test("there is none after the end, neither from a wait nor from a response", async () => {
  const early = start();
  early.end();
  expect(early.waiting).toEqual([]);
  const late = start();
  late.waiting.pop()?.();
  late.end();
  late.responses[0]?.();
  await Bun.sleep(0);
  expect(late.waiting).toEqual([]);
});
