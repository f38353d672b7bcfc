import { expect, test } from "bun:test";
import { newStreamTable, sharedStreamSlots } from "./stream-table.ts";

test("a session has at most ten streams over all threads, independent of others", () => {
  const table = newStreamTable();
  const [one, other] = [sharedStreamSlots(table), sharedStreamSlots(table)];
  const leave = Array.from({ length: 5 }, () => [one.take(1), other.take(1)]).flat();
  for (const thread of [one, other]) expect(() => thread.take(1)).toThrow("10 event streams");
  one.take(2);
  leave[0]?.();
  leave[0]?.();
  other.take(1);
  expect(() => one.take(1)).toThrow("10 event streams");
});

test("all sessions together have a limit", () => {
  const slots = sharedStreamSlots(newStreamTable());
  for (let session = 1; session <= 10_000; session++) slots.take(session);
  expect(() => slots.take(10_001)).toThrow("too many event streams are open");
});
