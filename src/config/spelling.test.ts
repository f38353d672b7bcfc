import { expect, test } from "bun:test";
import { nearest } from "./spelling.ts";

test.each([
  ["lisen", "listen"],
  ["listne", "listen"],
  ["base-ulr", "base-url"],
  ["max-archive-byte", "max-archive-bytes"],
  ["port", undefined],
  ["nonsense", undefined],
  ["", undefined],
])("for %p the nearest is %p", (word, meant) => {
  expect(nearest(word, ["listen", "base-url", "max-archive-bytes", "tls"])).toBe(meant as string);
});
