import { describe, expect, test } from "bun:test";
import { type Certificate, type ManagedCertificate, NO_ATTEMPTS, type RenewalWindow } from "../model/certificate.ts";
import { afterFailure } from "./attempts.ts";
import { dueAt, nextStep, renewalTime, spreadOf } from "./renewal.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2027, 0, 1);
const CA = "https://ca.example/directory";

function certificate(notBefore = NOW, days = 90): Certificate {
  const notAfter = notBefore + days * DAY;
  return { names: ["a.example"], chain: "", key: "", notBefore, notAfter, authority: CA, renewalId: null };
}

function managed(change: Partial<ManagedCertificate> = {}): ManagedCertificate {
  const base = { subject: "a.example", identifiers: ["a.example"], challenge: "http-01", origin: "claim" } as const;
  const state = {
    attempts: NO_ATTEMPTS,
    pending: null,
    current: certificate(),
    orderedAt: NOW,
    renewal: null,
    live: true,
  };
  return { ...base, ...state, ...change };
}

const days = (time: number) => (time - NOW) / DAY;
const window = (start: number, end: number): RenewalWindow => ({ start: NOW + start * DAY, end: NOW + end * DAY });

test.each([
  ["two thirds of 90 days", 90, null, 60],
  ["two thirds of 6 days", 6, null, 4],
  ["the CA's window, at the name's own point in it", 90, window(40, 44), 41],
  ["a window in the past: revoked, so at once", 90, window(-4, -4), -4],
  ["a window beyond the end is ignored", 90, window(80, 95), 60],
  ["a window that ends before it begins is ignored", 90, window(44, 40), 60],
])("a certificate is due at %s", (_, lifetime, ari, expected) => {
  expect(days(renewalTime(certificate(NOW, lifetime), ari, 0.25))).toBe(expected);
});

test("names are spread over a window: no tenth of it has more than a fifth of a thousand names", () => {
  const tenths = new Array(10).fill(0);
  for (let n = 0; n < 1000; n++) tenths[Math.floor(spreadOf(`site-${n}.example`) * 10)]++;
  expect(Math.max(...tenths)).toBeLessThan(200);
});

describe("a certificate is due", () => {
  test("at once if it is missing or lacks a requested name", () => {
    expect(dueAt(managed({ current: null, orderedAt: null }), NOW)).toBe(0);
    expect(dueAt(managed({ identifiers: ["a.example", "*.a.example"] }), NOW)).toBe(0);
  });

  test("once a day if the CA's window is always in the past", () => {
    const renewal = { window: window(-4, -4), nextLookAt: NOW };
    expect(days(dueAt(managed({ renewal }), NOW))).toBe(1);
  });

  test("once if the clock is 400 days ahead: a new one is used although it looks expired", () => {
    const ahead = NOW + 400 * DAY;
    expect(dueAt(managed({ orderedAt: NOW }), ahead)).toBeLessThan(ahead);
    const replaced = managed({ current: certificate(NOW), orderedAt: ahead });
    expect(dueAt(replaced, ahead + DAY)).toBe(ahead + 45 * DAY);
    const alwaysNow = { window: window(-4, -4), nextLookAt: NOW };
    expect(dueAt({ ...replaced, renewal: alwaysNow }, ahead + DAY)).toBe(ahead + 45 * DAY);
  });

  test("at most once a day if the clock is ahead by almost a lifetime", () => {
    const ahead = NOW + 90 * DAY - 1;
    expect(dueAt(managed({ orderedAt: ahead }), ahead)).toBe(ahead + DAY);
  });

  test("in time if a CA backdates it by days", () => {
    const datedBack = managed({ current: certificate(NOW - 5 * DAY, 8) });
    expect(days(dueAt(datedBack, NOW))).toBe(1.5);
  });

  test("by its dates once that clock is right again", () => {
    expect(days(dueAt(managed({ orderedAt: NOW + 400 * DAY }), NOW + DAY))).toBe(60);
  });

  test("never if the clock is 400 days behind", () => {
    const behind = NOW - 400 * DAY;
    expect(dueAt(managed(), behind)).toBeGreaterThan(behind);
  });
});

describe("the next step", () => {
  test("uses the second CA after three failures, even while the first one has not responded", () => {
    const pending = { authority: CA, url: `${CA}/order/1`, key: "", placedAt: NOW };
    const waiting = managed({ current: null, pending, attempts: { ...NO_ATTEMPTS, refusals: 3 } });
    const step = nextStep(waiting, [CA, "https://second.example/"], NOW);
    expect(step).toEqual({ kind: "order", authority: "https://second.example/" });
    expect(nextStep(waiting, [CA], NOW)).toEqual({ kind: "order", authority: CA });
  });

  describe("uses it while the first CA requires a wait of a week", () => {
    const [first, second] = [CA, "https://second.example/"];
    const refusal = { kind: "refused", error: "rateLimited", authority: first, retryAfter: 7 * DAY } as const;
    const afterRefusal = (current: Certificate | null) => {
      const attempts = afterFailure(NO_ATTEMPTS, refusal, current, NOW, 0);
      return managed({ current, orderedAt: current?.notBefore ?? null, attempts });
    };

    test.each([
      ["no certificate yet", null],
      ["one that ends tomorrow", certificate(NOW - 89 * DAY)],
    ])("uses it after the backoff, with %s", (_, current) => {
      const waiting = afterRefusal(current);
      const until = NOW + waiting.attempts.wait;
      expect(nextStep(waiting, [first, second], NOW)).toEqual({ kind: "wait", until });
      expect(nextStep(waiting, [first, second], until)).toEqual({ kind: "order", authority: second });
      expect(nextStep(waiting, [first], until)).toEqual({ kind: "wait", until: NOW + 7 * DAY });
    });

    test("waits for the first one if the second one also requires a wait of a day", () => {
      const both = afterRefusal(null);
      const blockedUntil = { ...both.attempts.blockedUntil, [second]: NOW + DAY };
      const waiting = { ...both, attempts: { ...both.attempts, blockedUntil } };
      expect(nextStep(waiting, [first, second], NOW)).toEqual({ kind: "wait", until: NOW + DAY });
      expect(nextStep(waiting, [first, second], NOW + DAY)).toEqual({ kind: "order", authority: second });
      expect(nextStep(waiting, [first, second], NOW + 7 * DAY)).toEqual({ kind: "order", authority: first });
    });
  });

  test("replaces a certificate of the local CA as soon as a public CA is set", () => {
    const local = managed({ current: { ...certificate(), authority: "internal" } });
    expect(nextStep(local, [CA], NOW)).toEqual({ kind: "order", authority: CA });
    expect(nextStep(local, ["internal"], NOW).kind).toBe("wait");
  });

  test("orders nothing before it is due or during the backoff", () => {
    expect(nextStep(managed(), [CA], NOW)).toEqual({ kind: "wait", until: NOW + 60 * DAY });
    const failed = managed({ current: null, attempts: { ...NO_ATTEMPTS, failures: 1, lastAt: NOW, wait: 120_000 } });
    expect(nextStep(failed, [CA], NOW + 1)).toEqual({ kind: "wait", until: NOW + 120_000 });
    expect(nextStep(failed, [CA], NOW + 120_000).kind).toBe("order");
  });
});
