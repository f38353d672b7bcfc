import { expect, test } from "bun:test";
import { makeTurns } from "./turns.ts";

const BUSY = "too many are waiting";

/** Starts tasks that end on demand. `begun` has the subjects in the order of their turns. */
function tasks(maxWaiting: number) {
  const inTurn = makeTurns(maxWaiting, BUSY);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (subject: string) =>
    inTurn(subject, () => {
      begun.push(subject);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const end = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { ask, end, begun };
}

test("one task runs at a time, and those of a subject in the order of their requests", async () => {
  const { ask, end, begun } = tasks(100);
  for (const subject of ["a", "b", "c"]) ask(subject);
  expect(begun).toEqual(["a"]);
  await end();
  expect(begun).toEqual(["a", "b"]);
  await end();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("subjects take turns, however many tasks of one are waiting", async () => {
  const { ask, end, begun } = tasks(100);
  for (let request = 0; request < 50; request++) ask("flood");
  ask("visitor");
  ask("other");
  for (let turn = 0; turn < 4; turn++) await end();
  expect(begun).toEqual(["flood", "flood", "visitor", "other", "flood"]);
});

test("only the subject with too many waiting tasks is refused", async () => {
  const { ask, end, begun } = tasks(2);
  for (let request = 0; request < 3; request++) ask("flood");
  const refused = { kind: "unavailable", detail: BUSY, extra: { retryAfter: 2 } };
  await expect(ask("flood")).rejects.toMatchObject(refused);
  ask("visitor");
  await end();
  ask("flood");
  await expect(ask("flood")).rejects.toMatchObject(refused);
  for (let turn = 0; turn < 4; turn++) await end();
  expect(begun).toEqual(["flood", "flood", "visitor", "flood", "flood"]);
});

test("a failed task passes its turn on", async () => {
  const inTurn = makeTurns(1, BUSY);
  const failed = inTurn("a", () => Promise.reject(new Error("broken")));
  const next = inTurn("a", async () => "done");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
  expect(await inTurn("a", async () => "again")).toBe("again");
});
