import { expect, test } from "bun:test";
import type { DeviceAuthorization } from "../model/device.ts";
import { decidePoll, newUserCode, type PollDecision, readUserCode } from "./device-authorization.ts";

const waiting: DeviceAuthorization = {
  id: 1,
  clientName: "a laptop",
  address: "192.0.2.1",
  createdAt: 0,
  expiresAt: 900_000,
  interval: 5,
  lastPolledAt: null,
  verdict: "pending",
  userId: null,
  scope: null,
  granted: null,
};
const polled = { ...waiting, lastPolledAt: 10_000 };
const approved: DeviceAuthorization = { ...polled, verdict: "approved", userId: 7 };

test.each<[string, DeviceAuthorization | null, number, PollDecision["response"], PollDecision["change"]]>([
  ["an unknown code", null, 0, "invalid_grant", null],
  ["the first poll, at once", waiting, 0, "authorization_pending", { lastPolledAt: 0 }],
  ["a poll after the interval", polled, 15_000, "authorization_pending", { lastPolledAt: 15_000 }],
  ["a poll a moment early by another clock", polled, 14_500, "authorization_pending", { lastPolledAt: 14_500 }],
  ["a poll too early", polled, 14_499, "slow_down", { lastPolledAt: 14_499, interval: 10 }],
  ["too early again", { ...polled, interval: 10 }, 15_000, "slow_down", { lastPolledAt: 15_000, interval: 15 }],
  ["too early without end", { ...polled, interval: 300 }, 15_000, "slow_down", null],
  ["the last moment", waiting, 899_999, "authorization_pending", { lastPolledAt: 899_999 }],
  ["too late", waiting, 900_000, "expired_token", null],
  ["denied", { ...polled, verdict: "denied", userId: 7 }, 10_001, "access_denied", null],
  ["approved, but too late", approved, 900_000, "expired_token", null],
  ["redeemed", { ...approved, verdict: "redeemed" }, 10_001, "invalid_grant", null],
  ["redeemed, long ago", { ...approved, verdict: "redeemed" }, 900_001, "invalid_grant", null],
])("%s", (_what, authorization, now, response, change) => {
  expect(decidePoll(authorization, now)).toEqual({ response, change });
});

test("an approved code can be redeemed at once, even by an early poll", () => {
  expect(decidePoll(approved, 10_001)).toEqual({
    response: { approved, userId: 7 },
    change: { verdict: "redeemed", lastPolledAt: 10_001 },
  });
});

const secrets = { random: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };

test("codes are two groups of four consonants with equal probability", () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 5000; round++) {
    const code = newUserCode(secrets);
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const letter of code.replace("-", "")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect(counts.size).toBe(20);
  // 2,000 of each are expected. Seven standard deviations of 43.6 do not occur by chance.
  for (const count of counts.values()) expect(count).toBeWithin(1695, 2305);
});

test("random bytes that would favour some letters are discarded", () => {
  const bytes = [new Uint8Array(8).fill(255), new Uint8Array([0, 1, 2, 3, 4, 5, 6, 240]), new Uint8Array(8).fill(239)];
  expect(newUserCode({ random: () => bytes.shift() ?? new Uint8Array(8) })).toBe("BCDF-GHJZ");
});

test.each([
  ["WDJB-MJHT", "WDJB-MJHT"],
  ["wdjbmjht", "WDJB-MJHT"],
  [" wdjb – mjht ", "WDJB-MJHT"],
  ["W D J B M J H T", "WDJB-MJHT"],
  ["WDJB-MJH", null],
  ["WDJB-MJHTT", null],
  ["WDJA-MJHT", null],
  ["WDJB-MJH7", null],
  ["", null],
  ["WDJB\u0000MJHT", null],
  ["ẞDJB-MJH", null],
])("%p is read as %p", (typed, code) => {
  expect(readUserCode(typed)).toBe(code);
});
