import { expect, test } from "bun:test";
import { seededNumbers } from "../testing/mutants.ts";
import { Utf8Validator } from "./utf8-validator.ts";

function validate(bytes: Uint8Array, chunkBytes: number): boolean {
  const validator = new Utf8Validator();
  for (let at = 0; at < bytes.length; at += chunkBytes) validator.add(bytes.subarray(at, at + chunkBytes));
  return validator.isValid();
}

test.each([
  ["", true],
  ["plain", true],
  ["\u00fc \u65e5 \u{1f600}", true],
  [[0xef, 0xbb, 0xbf, 0x61], true],
  [[0x67, 0x72, 0xfc, 0xdf, 0x65], false],
  [[0xff, 0xfe, 0x61, 0x00], false],
  [[0xc3], false],
  [[0xf0, 0x9f, 0x98], false],
  [[0xc0, 0xaf], false],
  [[0xed, 0xa0, 0x80], false],
  [[0x80], false],
] as const)("%j is UTF-8: %p, whatever the chunks", (text, expected) => {
  const bytes = Buffer.from(text as string);
  for (const size of [1, 2, 3, 4, 100]) expect(validate(bytes, size)).toBe(expected);
});

test("the result is that of TextDecoder for random bytes", () => {
  const random = seededNumbers(7);
  const telling = [0x61, 0x7f, 0x80, 0xbf, 0xc2, 0xc3, 0xe2, 0x82, 0xac, 0xed, 0xf0, 0x9f, 0x98, 0xf4, 0xff];
  for (let round = 0; round < 5000; round++) {
    const bytes = Uint8Array.from({ length: random(9) }, () => telling[random(telling.length)] as number);
    expect([bytes, validate(bytes, 1 + random(4))]).toEqual([bytes, isDecodable(bytes)]);
  }
});

function isDecodable(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
