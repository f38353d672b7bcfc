import { expect, test } from "bun:test";
import { Cache } from "./cache.ts";

/** Each takes as much as a thousandth of the cache. */
const BYTES = 600;

function filled(count: number): Cache<string> {
  const cache = new Cache<string>(1_000_000);
  for (let n = 0; n < count; n++) cache.set(`${n}`, `value ${n}`, BYTES);
  return cache;
}

test("a cache holds no more than its bytes", () => {
  const cache = filled(5000);
  const kept = Array.from({ length: 5000 }, (_, n) => cache.get(`${n}`)).filter((value) => value !== undefined);
  expect(kept).toHaveLength(1000);
});

test("what was used longest ago is evicted first", () => {
  const cache = filled(1000);
  cache.get("0");
  cache.set("new", "value", BYTES);
  expect([cache.get("0"), cache.get("1"), cache.get("2")]).toEqual(["value 0", undefined, "value 2"]);
});

test("a heavy value evicts as many as it needs, and a too heavy one is not kept", () => {
  const cache = filled(1000);
  cache.set("heavy", "value", 200 * 1000);
  expect([cache.get("heavy"), cache.get("200"), cache.get("201")]).toEqual(["value", undefined, "value 201"]);
  expect([cache.fits(250_000), cache.fits(250_001)]).toEqual([true, false]);
  cache.set("heavy", "heavier", 250_001);
  expect(cache.get("heavy")).toBeUndefined();
  expect(cache.get("999")).toBe("value 999");
});

test("replacing a value again and again takes no more room", () => {
  const cache = filled(500);
  for (let n = 0; n < 10_000; n++) cache.set("same", `${n}`, BYTES);
  expect([cache.get("0"), cache.get("same")]).toEqual(["value 0", "9999"]);
});
