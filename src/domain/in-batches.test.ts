import { expect, test } from "bun:test";
import { inBatches } from "./in-batches.ts";

test.each([
  [[], []],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
])("%j is yielded in batches of two", async (items, batches) => {
  expect(await Array.fromAsync(inBatches(items, 2))).toEqual(batches);
});
