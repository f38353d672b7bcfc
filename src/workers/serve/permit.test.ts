import { beforeEach, expect, test } from "bun:test";
import { leaseIn, type NodeLease, newLeaseCell } from "../../storage/replica/lease.ts";
import { clockOf, makePermit } from "./permit.ts";

let now: number;
let lease: NodeLease;
let renewals: number;
/** What the main thread does with a request to renew. */
let renew: () => Promise<void>;
/** What happens while a visit is held until its limit. */
let whileHeld: () => void;

beforeEach(() => {
  now = 0;
  lease = leaseIn(newLeaseCell(), () => now);
  lease.extend(3000);
  renewals = 0;
  renew = () => new Promise(() => {});
  whileHeld = () => {};
});

const permitFor = (isolatedFor: number) =>
  makePermit({
    lease,
    isolatedFor,
    renew() {
      renewals++;
      return renew();
    },
    async sleep(milliseconds) {
      now += milliseconds;
      whileHeld();
    },
  });

test("until the lease ends, visits are answered at once", () => {
  const permit = permitFor(0);
  for (const time of [0, 2900]) {
    now = time;
    expect([permit.isCurrent(), permit.obtain()]).toEqual([true, true]);
  }
  now = 3000;
  expect(permit.isCurrent()).toBe(false);
});

test("after a pause, visits wait together until the lease is renewed", async () => {
  const renewed = Promise.withResolvers<void>();
  const permit = makePermit({
    lease,
    isolatedFor: 0,
    renew() {
      renewals++;
      return renewed.promise;
    },
    sleep: () => new Promise(() => {}),
  });
  now = 60_000;
  const visits = [permit.obtain(), permit.obtain()];
  lease.extend(now + 3000);
  renewed.resolve();
  expect(await Promise.all(visits)).toEqual([true, true]);
  expect(renewals).toBe(1);
});

test.each([
  [3_600_000, true],
  [0, false],
])(
  "without a renewal, one visit is held for a second, and then, with %d ms of isolation: %p",
  async (isolatedFor, responses) => {
    const permit = permitFor(isolatedFor);
    now = 3000;
    expect(await permit.obtain()).toBe(responses);
    expect(now).toBe(4000);
    expect(permit.obtain()).toBe(responses);
    expect(renewals).toBe(1);
  },
);

test("isolation ends: public visits are refused", async () => {
  const permit = permitFor(10_000);
  now = 3000;
  expect(await permit.obtain()).toBe(true);
  now = 12_999;
  lease.noteIsolation();
  expect(permit.obtain()).toBe(true);
  now = 13_000;
  expect(permit.obtain()).toBe(false);
});

test("a failed attempt counts for seconds only: after a pause, the node tries again before it answers", async () => {
  const permit = permitFor(3_600_000);
  now = 3000;
  await permit.obtain();
  now += 10_000;
  renew = async () => lease.extend(now + 3000);
  expect(await permit.obtain()).toBe(true);
  expect([renewals, permit.isCurrent()]).toEqual([2, true]);
});

test("a process that is stopped while it holds a visit tries again", async () => {
  const permit = permitFor(3_600_000);
  now = 3000;
  whileHeld = () => {
    whileHeld = () => {};
    now += 20_000;
    renew = async () => lease.extend(now + 3000);
  };
  expect(await permit.obtain()).toBe(true);
  expect([renewals, permit.isCurrent()]).toEqual([2, true]);
});

test("the clock of another thread is right although its first response takes seconds, and never slow", async () => {
  const AHEAD = 500;
  const durations = [4000, 30, 2, 900, 0.5];
  const clock = await clockOf(
    async () => {
      now += durations.shift() ?? 0;
      return now + AHEAD;
    },
    () => now,
  );
  expect(clock() - now).toBe(AHEAD + 0.5);
});
