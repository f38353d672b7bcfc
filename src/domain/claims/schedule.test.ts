import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";
import { interval, MAX_INTERVAL, planNext } from "./schedule.ts";
import { aClaim, T0 } from "./testing/observations.ts";

const at = (backoff: Parameters<typeof interval>[0], attempts: number) => interval(backoff, attempts, 0.5);

describe("intervals", () => {
  test.each([
    ["waiting", 0, MINUTE],
    ["waiting", 1, 63 * SECOND],
    ["waiting", 200, 4 * HOUR],
    ["failing", 0, 2 * MINUTE],
    ["failing", 1, 4 * MINUTE],
    ["failing", 60, DAY],
    ["moving", 0, 10 * SECOND],
    ["moving", 60, 2 * MINUTE],
    ["step", 0, 2 * SECOND],
    ["step", 60, 5 * MINUTE],
    ["resting", 5, DAY],
  ] as const)("%s after %d checks: %d ms", (backoff, attempts, expected) => {
    expect(at(backoff, attempts)).toBe(expected);
  });

  test("only increase", () => {
    for (const backoff of ["waiting", "failing", "moving", "step"] as const) {
      for (let attempts = 0; attempts < 100; attempts++) {
        expect(at(backoff, attempts + 1)).toBeGreaterThanOrEqual(at(backoff, attempts));
      }
    }
  });

  test("vary by a tenth and never exceed the maximum", () => {
    expect(interval("failing", 0, 0)).toBe(108 * SECOND);
    expect(interval("failing", 0, 0.999)).toBeLessThan(132 * SECOND);
    expect(interval("resting", 0, 0.999)).toBeLessThan(MAX_INTERVAL);
  });

  test("a pending claim is checked about eighty times in its week", () => {
    let looks = 0;
    for (let time = 0; time < 7 * DAY; looks++) time += at("waiting", looks);
    expect(looks).toBeGreaterThan(60);
    expect(looks).toBeLessThan(100);
  });
});

describe("the next check", () => {
  const clock = { now: T0, random: () => 0.5 };
  const waiting = aClaim({ backoff: "waiting", attempts: 3, nextCheckAt: T0 });

  test("counts an attempt if it was due", () => {
    expect(planNext(waiting, "waiting", clock)).toMatchObject({ attempts: 4, nextCheckAt: T0 + at("waiting", 4) });
  });

  test("stays planned if somebody checked earlier", () => {
    const requested = { ...waiting, nextCheckAt: T0 + MINUTE };
    expect(planNext(requested, "waiting", clock)).toEqual(requested);
  });

  test("restarts with the first interval of another policy", () => {
    expect(planNext(waiting, "failing", clock)).toMatchObject({ backoff: "failing", attempts: 0 });
  });

  test("is not later than the claim's next deadline", () => {
    expect(planNext(waiting, "waiting", clock, T0 + 5 * SECOND).nextCheckAt).toBe(T0 + 5 * SECOND);
    expect(planNext({ ...waiting, nextCheckAt: T0 + MINUTE }, "waiting", clock, T0 + 5).nextCheckAt).toBe(T0 + 5);
  });

  test("is at least a second later, also after the deadline", () => {
    expect(planNext(waiting, "waiting", clock, T0 - DAY).nextCheckAt).toBe(T0 + SECOND);
  });

  test("is planned again if a wrong clock planned it far ahead", () => {
    const far = { ...waiting, nextCheckAt: T0 + 400 * DAY };
    expect(planNext(far, "waiting", clock).nextCheckAt).toBe(T0 + at("waiting", 4));
  });
});
