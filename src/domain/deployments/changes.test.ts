import { expect, test } from "bun:test";
import { compareFiles } from "./changes.ts";

const files = (contents: Record<string, string>) =>
  Object.entries(contents).map(([path, digest]) => ({ path, digest, size: 1 }));

test.each([
  ["a first deployment adds everything", {}, { "b.css": "1", "a.html": "2" }, ["added a.html", "added b.css"], 0],
  ["the same again changes nothing", { "a.html": "1" }, { "a.html": "1" }, [], 1],
  [
    "each kind of change is listed by path",
    { kept: "1", edited: "2", gone: "3" },
    { kept: "1", edited: "9", fresh: "4" },
    ["changed edited", "added fresh", "removed gone"],
    1,
  ],
  ["a file that moved is removed and added", { old: "1" }, { new: "1" }, ["added new", "removed old"], 0],
])("%s", (_fact, before, after, changes, unchanged) => {
  const comparison = compareFiles(files(before), files(after));
  expect(comparison.files.map(({ path, change }) => `${change} ${path}`)).toEqual(changes);
  expect(comparison.unchanged).toBe(unchanged);
});
