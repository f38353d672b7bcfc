import { expect, test } from "bun:test";
import { Cache } from "./cache.ts";

/** With the overhead of an entry, a thousandth of the cache. */
const BYTES = 600;

/** Looks up the missing key, and adds the value if it is admitted. */
function miss(cache: Cache<string>, key: string, bytes = BYTES): void {
  if (cache.get(key) === undefined && cache.admits(key, bytes)) cache.set(key, `value ${key}`, bytes);
}

function filled(count: number): Cache<string> {
  const cache = new Cache<string>(1_000_000);
  for (let n = 0; n < count; n++) miss(cache, `${n}`);
  return cache;
}

const countOf = (cache: Cache<string>, keys: number) =>
  Array.from({ length: keys }, (_, n) => cache.get(`${n}`)).filter((value) => value !== undefined).length;

test("a cache holds no more than its size in bytes", () => {
  expect(countOf(filled(500), 5000)).toBe(500);
  expect(countOf(filled(5000), 5000)).toBe(1000);
});

test("a full cache admits a key at its second miss, and evicts the least recently used one", () => {
  const cache = filled(1000);
  cache.get("0");
  miss(cache, "new");
  expect([cache.get("new"), cache.get("1")]).toEqual([undefined, "value 1"]);
  miss(cache, "new");
  expect([cache.get("new"), cache.get("0"), cache.get("2")]).toEqual(["value new", "value 0", undefined]);
});

test("a scan that is longer than the cache evicts nothing, however often it is repeated", () => {
  const cache = filled(1000);
  for (let round = 0; round < 3; round++) for (let n = 2000; n < 5000; n++) miss(cache, `${n}`);
  expect(countOf(cache, 1000)).toBe(1000);
});

test("a large value evicts as many as it needs, and one that is too large is not cached", () => {
  const cache = filled(1000);
  for (let time = 0; time < 2; time++) miss(cache, "heavy", 200 * 1000 - 400);
  expect([cache.get("heavy"), cache.get("199"), cache.get("200")]).toEqual(["value heavy", undefined, "value 200"]);
  for (let time = 0; time < 2; time++) expect(cache.admits("heavier", 250_001)).toBe(false);
});

test("replacing a value repeatedly takes no more space", () => {
  const cache = filled(1000);
  for (let n = 0; n < 10_000; n++) if (cache.admits("999", BYTES)) cache.set("999", `${n}`, BYTES);
  expect([cache.get("0"), cache.get("999")]).toEqual(["value 0", "9999"]);
});
