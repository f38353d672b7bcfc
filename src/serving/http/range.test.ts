import { expect, test } from "bun:test";
import { type ByteRange, parseRange } from "./range.ts";

test.each<[string, ByteRange | "unsatisfiable" | null]>([
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=0-99", { start: 0, end: 99 }],
  ["bytes=10-", { start: 10, end: 99 }],
  ["bytes=90-200", { start: 90, end: 99 }],
  ["bytes=-1", { start: 99, end: 99 }],
  ["bytes=-500", { start: 0, end: 99 }],
  ["BYTES = 1 - 2", { start: 1, end: 2 }],
  ["bytes=99-99999999999999999999999", { start: 99, end: 99 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=100-200", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=5-4", null],
  ["bytes=-", null],
  ["bytes=", null],
  ["bytes=a-b", null],
  ["bytes=0-1,3-4", null],
  ["bytes=0-,0-,0-", null],
  ["lines=0-1", null],
  ["bytes", null],
  [`bytes=${"0".repeat(300)}-1`, null],
])("of 100 bytes %s is %j", (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

test.each([
  ["bytes=0-", "unsatisfiable"],
  ["bytes=0-0", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=-1", null],
  ["bytes=-500", null],
] as const)("of an empty file %s is %j", (header, range) => {
  expect(parseRange(header, 0)).toBe(range);
});
