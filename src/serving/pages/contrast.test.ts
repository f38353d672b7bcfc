import { expect, test } from "bun:test";
import { contrastOf, readableOn } from "./contrast.ts";

test.each([
  ["#000000", "#ffffff", 21],
  ["#ffffff", "#ffffff", 1],
  ["#777777", "#ffffff", 4.48],
  ["#4453d6", "#fafafb", 5.83],
])("%s on %s has a contrast of %d", (one, other, wanted) => {
  expect(contrastOf(one, other)).toBeCloseTo(wanted, 1);
  expect(contrastOf(other, one)).toBeCloseTo(wanted, 1);
});

const GROUNDS = ["#fafafb", "#0c0d0f"];

test.each(["#000000", "#ffffff", "#ffff00", "#00ff00", "#ff0000", "#0000ff", "#808080", "#c0ffee"])(
  "%s becomes readable on light and dark",
  (color) => {
    for (const ground of GROUNDS) expect(contrastOf(readableOn(color, ground), ground)).toBeGreaterThanOrEqual(4.5);
  },
);

test("a readable colour is not changed", () => {
  expect([readableOn("#4453d6", "#fafafb"), readableOn("#99a5ff", "#0c0d0f")]).toEqual(["#4453d6", "#99a5ff"]);
});
