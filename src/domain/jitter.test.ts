import { expect, test } from "bun:test";
import { jittered, lengthened, longest } from "./jitter.ts";
import { MINUTE } from "./timestamp.ts";

test("a wait becomes up to a tenth shorter or longer, or longer alone", () => {
  expect([0, 0.5, 1].map((random) => jittered(10 * MINUTE, random) / MINUTE)).toEqual([9, 10, 11]);
  expect([0, 0.5, 1].map((random) => lengthened(10 * MINUTE, random) / MINUTE)).toEqual([10, 10.5, 11]);
});

test("no wait becomes longer than its longest", () => {
  for (const wait of [1, 5, 999, 86_400_000]) {
    expect(jittered(wait, 1)).toBeLessThanOrEqual(longest(wait));
    expect(lengthened(wait, 1)).toBeLessThanOrEqual(longest(wait));
  }
});
