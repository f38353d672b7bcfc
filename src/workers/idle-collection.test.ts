import { expect, test } from "bun:test";
import { WorkAndRest } from "./idle-collection.ts";

test.each<[string, number[], number[]]>([
  ["a thread that never worked", [5, 10, 15, 20], []],
  ["continued work", [2000, 4000, 6000, 8000], []],
  ["rest after work, once", [2000, 4000, 4010, 4020, 4030], [2]],
  ["each rest after work", [2000, 2010, 5000, 5010, 5020], [1, 3]],
  ["little work after a rest", [2000, 2010, 2400, 2410, 2420], [1]],
  ["little work that adds up", [2000, 2010, 2600, 2610, 3200, 3210], [1, 5]],
])("%s: of looks at %j those at %j find it ended", (_, used, ended) => {
  const work = new WorkAndRest();
  expect(used.flatMap((milliseconds, look) => (work.hasEnded(milliseconds) ? [look] : []))).toEqual(ended);
});
