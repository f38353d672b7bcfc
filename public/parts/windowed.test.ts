import { expect, test } from "bun:test";
import { partInSight } from "./windowed.ts";

test.each<[what: string, count: number, top: number, from: number, to: number]>([
  ["a short list is drawn whole", 30, 0, 0, 30],
  ["the beginning of a long one", 2000, -200, 0, 49],
  ["its middle, with rows on both sides", 2000, 48_000, 984, 1033],
  ["a few pixels on, the same", 2000, 48_060, 984, 1033],
  ["its end", 2000, 95_000, 1962, 2000],
  ["far beyond a list that became shorter", 5, 48_000, 4, 5],
  ["nothing", 0, 0, 0, 0],
])("%s", (_, count, top, from, to) => {
  expect(partInSight(count, 48, top, 900)).toEqual({ from, to });
});
