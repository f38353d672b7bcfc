import { expect, test } from "bun:test";
import { trend } from "./trend.ts";

const over = (value: (time: number) => number) => trend(Array.from({ length: 400 }, (_, time) => [time, value(time)]));

test("a steady rise is returned as a slope", () => {
  expect(over((time) => 100 + 2 * time)).toMatchObject({ slope: 2, uncertainty: 0 });
});

test("variation without a rise has a slope of nearly zero, within its uncertainty", () => {
  const { slope, uncertainty } = over((time) => 100 + ((time * 7) % 53));
  expect(Math.abs(slope)).toBeLessThan(0.1);
  expect(Math.abs(slope)).toBeLessThanOrEqual(uncertainty);
});

test("a single outlier changes nothing", () => {
  expect(over((time) => (time === 200 ? 9999 : time))).toMatchObject({ slope: 1 });
});

test("first and last are the medians of the first and last quarter", () => {
  expect(over((time) => (time < 200 ? 10 : 20))).toMatchObject({ first: 10, last: 20 });
});
