import { expect, test } from "bun:test";
import { nextItem } from "./menu-keys.ts";

const ITEMS = ["Visit", "Copy URL", "Settings", "Sign out"];

test.each<[key: string, at: number, next: number | null]>([
  ["ArrowDown", -1, 0],
  ["ArrowDown", 3, 0],
  ["ArrowUp", -1, 3],
  ["ArrowUp", 0, 3],
  ["ArrowUp", 2, 1],
  ["Home", 2, 0],
  ["End", 0, 3],
  ["s", -1, 2],
  ["S", 2, 3],
  ["s", 3, 2],
  ["x", 0, null],
  ["Enter", 0, null],
  [" ", 0, null],
])("%p at %i moves to %p", (key, at, next) => {
  expect(nextItem(key, at, ITEMS)).toBe(next);
});

test("no key moves anywhere in an empty menu", () => {
  expect(nextItem("ArrowDown", -1, [])).toBeNull();
});
