import { expect, test } from "bun:test";
import { EventLines } from "./event-lines.ts";

const STREAM =
  'retry: 3000\n:\nid: 6\n\nid: 7\nevent: deployment.published\ndata: {"site":"blog","deployment_number":3}\n\n' +
  ':\nid: 9\n\nid: 10\nevent: admin.changed\ndata: {"site":null}\n\nid: 11\nevent: cut';
const EVENTS = [
  { type: "deployment.published", site: "blog", deployment_number: 3 },
  { type: "admin.changed", site: null },
];

test.each([1, 2, 7, 1000])("events are parsed from chunks of %d characters", (size) => {
  const lines = new EventLines();
  const pieces = STREAM.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  expect(pieces.flatMap((piece) => lines.read(piece))).toEqual(EVENTS);
  // The event that was cut off is sent again.
  expect(lines.lastId).toBe("10");
});

test("an id without data is stored and is no event", () => {
  const lines = new EventLines("4");
  expect(lines.read(":\nid: 5\n\n")).toEqual([]);
  expect(lines.lastId).toBe("5");
});

test("unknown lines are ignored", () => {
  const lines = new EventLines();
  expect(lines.read('nonsense\nretry: x\n\nevent: empty\n\ndata: {"site":null}\n\n')).toEqual([]);
});
