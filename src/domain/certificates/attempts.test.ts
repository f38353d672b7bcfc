import { describe, expect, test } from "bun:test";
import { type Attempts, type Certificate, type Failure, NO_ATTEMPTS } from "../model/certificate.ts";
import { afterFailure, afterSuccess, authorityAfter, earliestAttempt, mayTryUnprobed } from "./attempts.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2027, 0, 1);
const CA = "https://ca.example/directory";

function failure(kind: Failure["kind"], retryAfter: number | null = null): Failure {
  return { kind, error: "no", authority: kind === "probe" ? null : CA, retryAfter };
}

function certificateEnding(notAfter: number): Certificate {
  const notBefore = notAfter - 90 * DAY;
  return { names: ["a.example"], chain: "", key: "", notBefore, notAfter, authority: CA, renewalId: null };
}

function failing(times: number, kind: Failure["kind"], start = NOW): Attempts {
  let attempts = NO_ATTEMPTS;
  for (let at = start, n = 0; n < times; n++) {
    attempts = afterFailure(attempts, failure(kind), null, at, 0);
    at = earliestAttempt(attempts, CA, at);
  }
  return attempts;
}

test.each([
  [1, 2 * MINUTE],
  [2, 10 * MINUTE],
  [3, 20 * MINUTE],
  [4, 40 * MINUTE],
  [5, HOUR],
  [8, 8 * HOUR],
  [9, 16 * HOUR],
  [10, DAY],
  [50, DAY],
])("failure %i in a row waits %i ms", (failures, wait) => {
  expect(failing(failures, "unreachable").wait).toBe(wait);
});

test("jitter increases a wait by up to a tenth and never decreases it", () => {
  expect(afterFailure(NO_ATTEMPTS, failure("refused"), null, NOW, 1).wait).toBe(2.2 * MINUTE);
});

describe("the remaining lifetime of a certificate shortens the wait", () => {
  test.each([
    ["30 days", 30 * DAY, DAY],
    ["8 hours", 8 * HOUR, HOUR],
    ["an hour", HOUR, 20 * MINUTE],
    ["nothing: it has ended", -DAY, DAY],
  ])("%s", (_, left, wait) => {
    const tenth = { ...NO_ATTEMPTS, failures: 9 };
    expect(afterFailure(tenth, failure("unreachable"), certificateEnding(NOW + left), NOW, 0).wait).toBe(wait);
  });
});

test("a name never has four failed validations within an hour, whatever the backoff", () => {
  const certificate = certificateEnding(NOW + 2 * HOUR);
  const failed: number[] = [];
  let attempts = NO_ATTEMPTS;
  for (let now = NOW; now < NOW + 2 * DAY; now += MINUTE) {
    if (earliestAttempt(attempts, CA, now) > now) continue;
    attempts = afterFailure(attempts, failure("validation"), certificate, now, 0);
    failed.push(now);
  }
  expect(failed.length).toBeGreaterThan(5);
  for (const at of failed)
    expect(failed.filter((other) => other > at - HOUR && other <= at).length).toBeLessThanOrEqual(3);
});

test("a success resets the backoff, yet the failed validations of the hour still count", () => {
  const attempts = afterSuccess(failing(3, "validation"), NOW + 30 * MINUTE);
  expect(attempts.failures).toBe(0);
  expect(attempts.error).toBeNull();
  expect(earliestAttempt(attempts, CA, NOW + 30 * MINUTE)).toBe(NOW + HOUR);
});

describe("Retry-After", () => {
  test("applies only to the CA that sent it", () => {
    const attempts = afterFailure(NO_ATTEMPTS, failure("refused", 3 * HOUR), null, NOW, 0);
    expect(earliestAttempt(attempts, CA, NOW)).toBe(NOW + 3 * HOUR);
    expect(earliestAttempt(attempts, "https://other.example/", NOW)).toBe(NOW + 2 * MINUTE);
  });

  test("of a thousand years is limited to a week", () => {
    const attempts = afterFailure(NO_ATTEMPTS, failure("refused", 365_000 * DAY), null, NOW, 0);
    expect(earliestAttempt(attempts, CA, NOW)).toBe(NOW + 7 * DAY);
  });
});

test("three failures switch to the next CA, three more switch back; a failed probe switches nothing", () => {
  const both = [CA, "https://second.example/"];
  const order = [0, 1, 2, 3, 4, 5, 6].map((refusals) => authorityAfter({ ...NO_ATTEMPTS, refusals }, both, NOW));
  expect(order.map((authority) => both.indexOf(authority))).toEqual([0, 0, 0, 1, 1, 1, 0]);
  expect(authorityAfter(failing(5, "probe"), both, NOW)).toBe(CA);
  expect(authorityAfter({ ...NO_ATTEMPTS, refusals: 40 }, [CA], NOW)).toBe(CA);
});

test("with a failed probe a CA is tried once in six hours", () => {
  expect(mayTryUnprobed(NO_ATTEMPTS, NOW)).toBe(true);
  expect(mayTryUnprobed({ ...NO_ATTEMPTS, unprobedAt: NOW - 5 * HOUR }, NOW)).toBe(false);
  expect(mayTryUnprobed({ ...NO_ATTEMPTS, unprobedAt: NOW - 6 * HOUR }, NOW)).toBe(true);
});
