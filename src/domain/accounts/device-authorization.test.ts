import { expect, test } from "bun:test";
import { type DeviceAuthorization, decidePoll, type PollDecision } from "./device-authorization.ts";

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
};
const polled = { ...waiting, lastPolledAt: 10_000 };
const approved: DeviceAuthorization = { ...polled, verdict: "approved", userId: 7 };

test.each<[string, DeviceAuthorization | null, number, PollDecision["answer"], PollDecision["change"]]>([
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
])("%s", (_what, authorization, now, answer, change) => {
  expect(decidePoll(authorization, now)).toEqual({ answer, change });
});

test("an approved code is redeemed at once, however early the poll", () => {
  expect(decidePoll(approved, 10_001)).toEqual({
    answer: { approved, userId: 7 },
    change: { verdict: "redeemed", lastPolledAt: 10_001 },
  });
});
