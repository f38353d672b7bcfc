import { expect, test } from "bun:test";
import { isPrintable, printable } from "./printable.ts";

test.each([
  ["grün 展示 👩‍👩‍👧‍👦 שלום", "grün 展示 👩‍👩‍👧‍👦 שלום"],
  ["a\tb\r\n", "a\ufffdb\ufffd\ufffd"],
  ["\x1b[2J\x7f\x9b31m", "\ufffd[2J\ufffd\ufffd31m"],
  ["\u200e\u202etxt.exe\u2066\u061c\u2028", "\ufffd\ufffdtxt.exe\ufffd\ufffd\ufffd"],
  ["a\ud800", "a\ufffd"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(isPrintable(text)).toBe(text === shown);
  expect(isPrintable(shown)).toBe(true);
});
