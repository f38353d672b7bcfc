import { beforeEach, expect, test } from "bun:test";
import type { RateExchange } from "../domain/ports/store/rate-exchange.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { FakeTimers } from "../jobs/testing/fake-timers.ts";
import { exchangeTaken } from "./throttle-exchange.ts";
import { newThrottleTable, sharedThrottle } from "./throttle-table.ts";

const RATE = { count: 60, window: MINUTE };

let now: number;
let timers: FakeTimers;
let isAway: boolean;
let sent: string[];
let listeners: ((message: string) => void)[];
const clock = { now: () => now };

beforeEach(() => {
  now = 1_800_000_000_000;
  timers = new FakeTimers();
  isAway = false;
  sent = [];
  listeners = [];
});

const exchange: RateExchange = {
  maxLength: 7999,
  async seed() {
    if (isAway) throw new Error("the database is away");
    return 4711;
  },
  async send(message) {
    if (isAway) throw new Error("the database is away");
    sent.push(message);
    for (const listener of listeners) listener(message);
  },
  receive(listener) {
    listeners.push(listener);
    return () => listeners.splice(listeners.indexOf(listener), 1);
  },
};

function startNode(node: string) {
  const table = newThrottleTable(RATE, clock.now(), true);
  const stop = exchangeTaken({ api: null, visit: table }, { exchange, node, clock, timers });
  return { throttle: sharedThrottle(table, clock), stop };
}

async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  await timers.pass(milliseconds);
}

/** Takes as often as there are tokens; returns how often. */
function drain({ throttle }: ReturnType<typeof startNode>, subject = "ada"): number {
  for (let taken = 0; ; taken++) if (throttle.take(subject) > 0) return taken;
}

test("what one node gives, the others lack within a second", async () => {
  const nodes = ["one", "two", "three"].map(startNode);
  await pass(0);
  for (let visit = 0; visit < 20; visit++) for (const node of nodes) expect(node.throttle.take("ada")).toBe(0);
  await pass(SECOND);
  expect(nodes.map((node) => drain(node))).toEqual([1, 1, 1]);
  expect(nodes.map((node) => drain(node, "eve"))).toEqual([60, 60, 60]);
});

test("over minutes, all nodes together give what the rate allows", async () => {
  const nodes = ["one", "two", "three"].map(startNode);
  await pass(0);
  let given = 0;
  for (let second = 0; second < 600; second++) {
    for (const node of nodes) given += drain(node);
    await pass(SECOND);
  }
  // Within the first second each node gives a whole bucket.
  expect(given).toBeGreaterThan(600);
  expect(given).toBeLessThan(660 + 3 * 60);
});

test("of more subjects than a message holds, those that took the most are sent first, and none is forgotten", async () => {
  const [one, two] = [startNode("one"), startNode("two")];
  await pass(0);
  for (let subject = 0; subject < 2000; subject++) one.throttle.take(`${subject}`);
  for (let visit = 0; visit < 59; visit++) one.throttle.take("greedy");
  await pass(SECOND);
  expect(drain(two, "greedy")).toBe(1);
  for (let round = 0; round < 4; round++) await pass(0.25 * SECOND);
  await pass(4 * SECOND);
  expect(sent.every(({ length }) => length <= exchange.maxLength)).toBe(true);
  expect(drain(two, "1999")).toBe(60);
  expect(sent.filter((message) => message.startsWith("one "))).toHaveLength(4);
});

test("while the database is away, each node counts alone, and nothing of that is charged later", async () => {
  isAway = true;
  const [one, two] = [startNode("one"), startNode("two")];
  await pass(0);
  expect([drain(one), drain(two)]).toEqual([60, 60]);
  isAway = false;
  await pass(SECOND);
  expect([drain(one), drain(two)]).toEqual([60, 60]);
  isAway = true;
  await pass(SECOND);
  isAway = false;
  await pass(SECOND);
  expect([drain(one), drain(two)]).toEqual([2, 2]);
  await pass(SECOND);
  expect([drain(one), drain(two)]).toEqual([0, 0]);
});

test("an idle node sends nothing, and a stopped one neither sends nor receives", async () => {
  const [one, two] = [startNode("one"), startNode("two")];
  await pass(5 * SECOND);
  expect(sent).toEqual([]);
  one.stop();
  drain(one);
  await pass(SECOND);
  expect([sent, drain(two)]).toEqual([[], 60]);
  await pass(SECOND);
  expect([sent.length, listeners.length]).toEqual([1, 1]);
});

test("a message that makes no sense is ignored", async () => {
  const one = startNode("one");
  await pass(0);
  for (const message of ["", "two visit AAAA", "two visit AAAAAAAAAAAAAA==", "two api AAAA"])
    await exchange.send(message);
  expect(drain(one)).toBe(60);
});
