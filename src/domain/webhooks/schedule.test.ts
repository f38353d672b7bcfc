import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";
import { attemptChanges, evaluateAttempt, MAX_REST, MAX_WAIT, SLOW_RESPONSE_MS } from "./schedule.ts";

const NOW = Date.UTC(2026, 0, 1);
const attempt = (statusCode: number | null, error: string | null = null) => ({
  at: NOW,
  statusCode,
  error,
  duration: 5,
});
const now = (random = 0, clockTrusted = true) => ({ now: NOW, random: () => random, clockTrusted });
const event = (attempts: number, failingSince: number | null = null) =>
  ({ type: "deployment.published", attempts, failingSince, slowResponses: 0 }) as const;

describe("waits", () => {
  test.each([
    [0, 5 * SECOND],
    [1, 5 * MINUTE],
    [2, 30 * MINUTE],
    [3, 2 * HOUR],
    [4, 5 * HOUR],
    [5, 10 * HOUR],
    [6, 14 * HOUR],
    [7, 20 * HOUR],
    [8, 24 * HOUR],
    [9, null],
    [20, null],
  ])("after %p attempts and one more that failed: %p", (attempts, wait) => {
    const { status, nextAttemptAt } = evaluateAttempt(event(attempts), attempt(500), now());
    expect([status, nextAttemptAt]).toEqual(wait === null ? ["failed", null] : ["pending", NOW + wait]);
  });

  test("are increased by up to a tenth, within the maximum", () => {
    expect(evaluateAttempt(event(0), attempt(500), now(0.5)).nextAttemptAt).toBe(NOW + 5250);
    expect(evaluateAttempt(event(8), attempt(500), now(0.999)).nextAttemptAt).toBeLessThanOrEqual(NOW + MAX_WAIT);
  });
});

describe("a response", () => {
  test.each([
    [200, "delivered", null],
    [299, "delivered", null],
    [301, "pending", "responded with 301: redirects are not followed"],
    [404, "pending", "responded with 404"],
    [410, "failed", "responded with 410"],
    [503, "pending", "responded with 503"],
  ])("of %p makes the delivery %s", (statusCode, status, error) => {
    expect(evaluateAttempt(event(0), attempt(statusCode), now())).toMatchObject({ status, error });
  });

  test("that is missing is recorded with the sender's error", () => {
    const verdict = evaluateAttempt(event(0), attempt(null, "the connection was refused"), now());
    expect(verdict).toMatchObject({ status: "pending", error: "the connection was refused" });
  });

  test("to a ping is awaited once, and says nothing about other events unless it succeeds", () => {
    const ping = { type: "ping", attempts: 0, failingSince: NOW - HOUR, slowResponses: 0 } as const;
    expect(evaluateAttempt(ping, attempt(500), now())).toMatchObject({ status: "failed", failingSince: NOW - HOUR });
    expect(evaluateAttempt({ ...ping, failingSince: null }, attempt(500), now())).toMatchObject({ failingSince: null });
    expect(evaluateAttempt(ping, attempt(204), now())).toMatchObject({ status: "delivered", failingSince: null });
  });
});

describe("a webhook", () => {
  test("is failing from the first failure until a success", () => {
    expect(evaluateAttempt(event(0), attempt(500), now()).failingSince).toBe(NOW);
    expect(evaluateAttempt(event(0, NOW - HOUR), attempt(500), now()).failingSince).toBe(NOW - HOUR);
    expect(evaluateAttempt(event(0, NOW + HOUR), attempt(500), now()).failingSince).toBe(NOW);
    expect(evaluateAttempt(event(0, NOW - HOUR), attempt(200), now()).failingSince).toBeNull();
  });

  test.each<[string, number, number, number | null, boolean, boolean]>([
    ["410 at once", 0, 0, 410, true, true],
    ["410 whatever the clock", 0, 0, 410, false, true],
    ["five days of failures", 4, 5 * DAY, 500, true, true],
    ["five days without any answer", 4, 5 * DAY, null, true, true],
    ["not after less", 4, 5 * DAY - 1, 500, true, false],
    ["not at the first attempts of a new event", 3, 30 * DAY, 500, true, false],
    ["not while the clock is in doubt", 4, 5 * DAY, 500, false, false],
    ["not by a success", 9, 9 * DAY, 200, true, false],
  ])("is disabled by %s", (_why, attempts, failing, statusCode, trusted, off) => {
    const verdict = evaluateAttempt(event(attempts, NOW - failing), attempt(statusCode), now(0, trusted));
    expect(verdict.disabledReason !== null).toBe(off);
    if (off) expect([verdict.status, verdict.nextAttemptAt]).toEqual(["failed", null]);
  });
});

describe("a slow receiver", () => {
  const slow = (duration: number, statusCode: number | null = 200) => ({ ...attempt(statusCode), duration });
  test.each([
    [0, 5 * SECOND],
    [1, 15 * SECOND],
    [2, 30 * SECOND],
    [3, MINUTE],
    [99, MINUTE],
  ])("after %p slow responses in a row and one more pauses for %p", (slowResponses, rest) => {
    const verdict = evaluateAttempt({ ...event(0), slowResponses }, slow(SLOW_RESPONSE_MS + 1), now());
    expect(verdict).toMatchObject({ status: "delivered", slowResponses: slowResponses + 1, restsUntil: NOW + rest });
    expect(rest).toBeLessThanOrEqual(MAX_REST);
  });

  test.each([500, null])("also pauses after the failure %p", (statusCode) => {
    const verdict = evaluateAttempt(event(0), slow(15 * SECOND, statusCode), now());
    expect(verdict).toMatchObject({ status: "pending", slowResponses: 1, restsUntil: NOW + 5 * SECOND });
  });

  test.each([200, 500])("is no longer slow after a response in time, %p too", (statusCode) => {
    const verdict = evaluateAttempt({ ...event(0), slowResponses: 7 }, slow(SLOW_RESPONSE_MS, statusCode), now());
    expect(verdict).toMatchObject({ slowResponses: 0, restsUntil: null });
  });
});

describe("a result", () => {
  const webhook = { failingSince: NOW, slowResponses: 2, restsUntil: NOW + SECOND };
  const pending = { status: "pending", error: "responded with 500", nextAttemptAt: NOW + HOUR } as const;
  const failed = { ...pending, status: "failed", nextAttemptAt: null } as const;
  const delivered = { ...failed, status: "delivered", error: null } as const;
  const on = { disabledReason: null, ...webhook };
  const off = { disabledReason: "the receiver responded with 410 Gone", ...webhook };
  test.each([
    ["to try again stands while the webhook is on", { ...pending, ...on }, false, pending],
    ["to retry is dropped if the webhook was disabled meanwhile", { ...pending, ...on }, true, failed],
    ["to retry is dropped if it disables the webhook", { ...pending, ...off }, false, failed],
    ["that failed stands", { ...failed, ...on }, true, failed],
    ["that delivered stands", { ...delivered, ...on }, true, delivered],
  ])("%s", (_what, verdict, isOff, expected) => {
    const before = { attempts: 3, disabledAt: isOff ? NOW : null };
    const attempted = { attempts: 4, attemptedAt: NOW, statusCode: 500, duration: 5 };
    const delivery = { ...expected, ...attempted };
    expect(attemptChanges(before, attempt(500), verdict)).toEqual({ delivery, webhook });
  });
});
