import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { S3Fifo } from "./s3-fifo.ts";

describe("the cache for hot content", () => {
  test("never holds more than its limit", () => {
    const cache = new S3Fifo<number>(100);
    for (let i = 0; i < 10_000; i += 1) {
      cache.set(`k${i % 700}`, i, 1 + (i % 9));
      if (i % 3 === 0) cache.get(`k${(i * 7) % 700}`);
      expect(cache.weight).toBeLessThanOrEqual(100);
    }
    expect(cache.size).toBeGreaterThan(10);
  });

  test("keeps what is asked for often while a scan passes through", () => {
    const cache = new S3Fifo<string>(100);
    const hot = Array.from({ length: 50 }, (_, i) => `hot${i}`);
    for (let round = 0; round < 3; round += 1) for (const key of hot) cache.get(key) ?? cache.set(key, key, 1);
    for (let i = 0; i < 100_000; i += 1) cache.set(`scan${i}`, "", 1);
    expect(hot.filter((key) => cache.get(key) !== undefined)).toEqual(hot);
  });

  test("lets go of what was hot once, when something else is", () => {
    const cache = new S3Fifo<number>(10);
    for (let round = 0; round < 5; round += 1)
      for (let i = 0; i < 8; i += 1) cache.get(`a${i}`) ?? cache.set(`a${i}`, i, 1);
    for (let round = 0; round < 50; round += 1)
      for (let i = 0; i < 8; i += 1) cache.get(`b${i}`) ?? cache.set(`b${i}`, i, 1);
    expect(Array.from({ length: 8 }, (_, i) => cache.get(`b${i}`))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("replaces and forgets by key", () => {
    const cache = new S3Fifo<number>(100);
    cache.set("a", 1, 5);
    cache.set("a", 2, 6);
    expect(cache.get("a")).toBe(2);
    cache.delete("a");
    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  test("what is replaced again and again takes no more room, however empty the cache is", () => {
    const cache = new S3Fifo<number>(1_000_000);
    const objects = () => {
      Bun.gc(true);
      return heapStats().objectCount;
    };
    const before = objects();
    for (let i = 0; i < 100_000; i += 1) cache.set("a", i, 1 + (i % 2));
    expect(objects() - before).toBeLessThan(10_000);
    expect([cache.get("a"), cache.weight]).toEqual([99_999, 2]);
  });

  test("a replacement that is heavier makes others go", () => {
    const cache = new S3Fifo<number>(100);
    for (let i = 0; i < 10; i += 1) cache.set(`k${i}`, i, 10);
    for (let i = 0; i < 10; i += 1) cache.set(`k${i}`, i, 25);
    expect(cache.weight).toBeLessThanOrEqual(100);
  });

  test("takes everything in while there is room, and then what comes again", () => {
    const cache = new S3Fifo<string>(100);
    for (let i = 0; i < 100; i += 1) expect(cache.keep(`k${i}`, 1, () => "made")).toBe("made");
    expect(
      cache.keep("new", 1, () => {
        throw new Error("what is not kept is not made");
      }),
    ).toBeNull();
    expect(cache.keep("new", 1, () => "made")).toBe("made");
    expect(cache.get("new")).toBe("made");
  });

  test("replaces a value when it is full too", () => {
    const cache = new S3Fifo<number>(100);
    for (let i = 0; i < 100; i += 1) cache.set(`k${i}`, i, 1);
    cache.set("k99", -1, 1);
    expect(cache.get("k99")).toBe(-1);
  });

  test("does not take in what is heavier than a quarter of it", () => {
    const cache = new S3Fifo<number>(100);
    cache.set("a", 1, 26);
    expect(cache.get("a")).toBeUndefined();
  });
});
