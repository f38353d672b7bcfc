import { expect, test } from "bun:test";
import { BoundedMemo, MAX_KEY_LENGTH } from "./bounded-memo.ts";

test("a cached value is not computed again, not even null", () => {
  const made: string[] = [];
  const memo = new BoundedMemo<string, string | null>(10);
  const make = (key: string) => {
    made.push(key);
    return key === "" ? null : key.toUpperCase();
  };
  expect(["a", "", "a", ""].map((key) => memo.get(key, make))).toEqual(["A", null, "A", null]);
  expect(made).toEqual(["a", ""]);
});

test("a flood of keys does not fill the memory, and the latest one stays cached", () => {
  const memo = new BoundedMemo<number, number>(100);
  for (let key = 0; key < 10_000; key++) {
    memo.get(key, (made) => made);
    expect(memo.size).toBeWithin(1, 101);
  }
  expect(memo.get(9999, () => -1)).toBe(9999);
});

test("a failed computation is retried", () => {
  const memo = new BoundedMemo<string, number>(10);
  const fails = () => {
    throw new Error("not today");
  };
  expect(() => memo.get("a", fails)).toThrow("not today");
  expect(memo.get("a", () => 1)).toBe(1);
});

test("a key longer than any browser sends is computed each time and not cached", () => {
  const memo = new BoundedMemo<string, number>(10);
  const length = (key: string) => key.length;
  for (let i = 0; i < 5; i++) expect(memo.get(`${i}`.padEnd(MAX_KEY_LENGTH + 1), length)).toBe(MAX_KEY_LENGTH + 1);
  expect(memo.size).toBe(0);
  memo.get("".padEnd(MAX_KEY_LENGTH), length);
  expect(memo.size).toBe(1);
});
