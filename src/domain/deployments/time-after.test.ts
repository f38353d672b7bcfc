import { expect, test } from "bun:test";
import { timeAfter } from "./time-after.ts";

test.each([
  ["the first one", null, 500, 500],
  ["one that follows later", 400, 500, 500],
  ["one that read the clock before the other had its turn", 60_500, 500, 60_500],
  ["one that follows a clock which was ahead", 60_501, 500, 500],
])("the time of %s", (_, earlier, at, time) => {
  expect(timeAfter(earlier, at)).toBe(time);
});
