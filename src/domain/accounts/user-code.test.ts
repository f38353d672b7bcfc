import { expect, test } from "bun:test";
import { newUserCode, readUserCode } from "./user-code.ts";

const secrets = { random: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };

test("codes are two groups of four consonants, each as likely as any other", () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 5000; round++) {
    const code = newUserCode(secrets);
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const letter of code.replace("-", "")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect(counts.size).toBe(20);
  // 2,000 of each are expected; seven standard deviations of 43.6 never happen by chance.
  for (const count of counts.values()) expect(count).toBeWithin(1695, 2305);
});

test("bytes that would favour some letters are left out", () => {
  const bytes = [new Uint8Array(8).fill(255), new Uint8Array([0, 1, 2, 3, 4, 5, 6, 240]), new Uint8Array(8).fill(239)];
  expect(newUserCode({ random: () => bytes.shift() ?? new Uint8Array(8) })).toBe("BCDF-GHJZ");
});

test.each([
  ["WDJB-MJHT", "WDJB-MJHT"],
  ["wdjbmjht", "WDJB-MJHT"],
  [" wdjb – mjht ", "WDJB-MJHT"],
  ["W D J B M J H T", "WDJB-MJHT"],
  ["WDJB-MJH", null],
  ["WDJB-MJHTT", null],
  ["WDJA-MJHT", null],
  ["WDJB-MJH7", null],
  ["", null],
  ["WDJB\u0000MJHT", null],
  ["ẞDJB-MJH", null],
])("%p is read as %p", (typed, code) => {
  expect(readUserCode(typed)).toBe(code);
});
