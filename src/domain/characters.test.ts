import { expect, test } from "bun:test";
import { countCharacters, firstCharacters } from "./characters.ts";

test.each([
  ["", 0],
  ["abc", 3],
  ["🏷🏷", 2],
  ["e\u0301", 2],
])("%j has %i characters", (text, count) => {
  expect(countCharacters(text)).toBe(count);
});

test("text is truncated between characters", () => {
  expect(firstCharacters("a🏷b", 2)).toBe("a🏷");
  expect(firstCharacters("a🏷b", 9)).toBe("a🏷b");
});
