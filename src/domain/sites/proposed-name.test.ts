import { expect, test } from "bun:test";
import { proposedSiteName } from "./proposed-name.ts";

test.each([
  ["My Trip 2026", "my-trip-2026"],
  ["Größe & Maß", "gro-e-ma"],
  ["--a--b--", "a-b"],
  ["dist", ""],
  ["2026", ""],
  ["日本", ""],
  ["x".repeat(60), "x".repeat(50)],
])("a folder named %p suggests the site name %p", (folder, name) => {
  expect(proposedSiteName(folder)).toBe(name);
});
