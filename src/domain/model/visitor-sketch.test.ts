import { describe, expect, test } from "bun:test";
import { hash32, VisitorSketch } from "./visitor-sketch.ts";

function sketchOf(from: number, to: number): VisitorSketch {
  const sketch = new VisitorSketch();
  for (let i = from; i < to; i += 1) sketch.add(hash32(`salt 203.0.113.${i} Firefox`));
  return sketch;
}

describe("the sketch of visitors", () => {
  test.each([0, 1, 2, 50, 1000])("%d visitors are counted exactly", (count) => {
    expect(sketchOf(0, count).estimate()).toBe(count);
  });

  test.each([1_100, 5_000, 50_000, 500_000])("%d visitors are counted to within five percent", (count) => {
    expect(Math.abs(sketchOf(0, count).estimate() / count - 1)).toBeLessThan(0.05);
  });

  test("a returning visitor counts once", () => {
    const sketch = sketchOf(0, 7);
    sketch.merge(sketchOf(0, 7));
    expect(sketch.estimate()).toBe(7);
  });

  test.each([
    [5, 9],
    [400, 800],
    [20, 5000],
    [5000, 20],
  ])("merging sketches of %d and %d visitors equals a single sketch", (one, other) => {
    const merged = VisitorSketch.fromBytes(sketchOf(0, one).toBytes());
    merged.merge(VisitorSketch.fromBytes(sketchOf(one, one + other).toBytes()));
    expect(merged.estimate()).toBe(sketchOf(0, one + other).estimate());
  });

  test("never takes more than 4 KiB", () => {
    for (const count of [0, 100, 1023, 1024, 100_000]) {
      expect(sketchOf(0, count).toBytes().length).toBeLessThanOrEqual(4096);
    }
  });
});
