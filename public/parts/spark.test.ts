import { expect, test } from "bun:test";
import { sparkLine } from "./spark.ts";

test.each<[values: number[], path: string]>([
  [[], ""],
  [[5], ""],
  [[0, 0], "M0 23L88 23"],
  [[0, 8], "M0 23L88 2"],
  [[0, 4], "M0 23L88 12.5"],
  [[0, 1000, 500], "M0 23L44 2L88 12.5"],
])("%j is drawn as %p", (values, path) => {
  expect(sparkLine(values)).toBe(path);
});
