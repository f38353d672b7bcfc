import { expect, test } from "bun:test";
import { trend } from "./trend.ts";

const over = (value: (time: number) => number) => trend(Array.from({ length: 400 }, (_, time) => [time, value(time)]));

test("a steady rise is told with its slope", () => {
  expect(over((time) => 100 + 2 * time)).toMatchObject({ slope: 2, uncertainty: 0 });
});

test("a saw without a rise has a slope of about nothing, within its uncertainty", () => {
  const { slope, uncertainty } = over((time) => 100 + ((time * 7) % 53));
  expect(Math.abs(slope)).toBeLessThan(0.1);
  expect(Math.abs(slope)).toBeLessThanOrEqual(uncertainty);
});

test("a single wild value changes nothing", () => {
  expect(over((time) => (time === 200 ? 9999 : time))).toMatchObject({ slope: 1 });
});

test("first and last are the medians of the quarters at the ends", () => {
  expect(over((time) => (time < 200 ? 10 : 20))).toMatchObject({ first: 10, last: 20 });
});
