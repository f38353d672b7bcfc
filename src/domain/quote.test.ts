import { expect, test } from "bun:test";
import { quote } from "./quote.ts";

test.each([
  ["plain", '"plain"'],
  ['with "marks"', '"with \\"marks\\""'],
  ["a\r\nb", '"a\\r\\nb"'],
  ["\u001b[2J\u007f\u009b31m", '"\\u001b[2J\\u007f\\u009b31m"'],
  ["\u200e\u202etxt.exe\u2066", '"\\u200e\\u202etxt.exe\\u2066"'],
  ["café 日本", '"café 日本"'],
])("%j is quoted as %s, and can be parsed back", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
  expect(JSON.parse(quoted)).toBe(text);
});

test("long text is truncated", () => {
  expect([quote("abcd", 3), quote("abc", 3)]).toEqual(['"abc…"', '"abc"']);
});
