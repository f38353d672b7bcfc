import { expect, test } from "bun:test";
import { jittered, lengthened, longest } from "./jitter.ts";
import { MINUTE } from "./timestamp.ts";

test("a wait is changed by up to a tenth in both directions, or only increased", () => {
  expect([0, 0.5, 1].map((random) => jittered(10 * MINUTE, random) / MINUTE)).toEqual([9, 10, 11]);
  expect([0, 0.5, 1].map((random) => lengthened(10 * MINUTE, random) / MINUTE)).toEqual([10, 10.5, 11]);
});

test("a wait does not exceed its maximum", () => {
  for (const wait of [1, 5, 999, 86_400_000]) {
    expect(jittered(wait, 1)).toBeLessThanOrEqual(longest(wait));
    expect(lengthened(wait, 1)).toBeLessThanOrEqual(longest(wait));
  }
});
