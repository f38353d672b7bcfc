import { expect, test } from "bun:test";
import { statfsSync } from "node:fs";
import { diskSpace, reserveOf } from "./disk-space.ts";

const GiB = 1024 ** 3;

test.each([
  [0, 0],
  [1_000_000, 50_000],
  [3.9 * GiB, 0.195 * GiB],
  [4 * GiB, 209_715_200],
  [1000 * GiB, 209_715_200],
])("of a disk of %d bytes %d are reserved: 200 MiB, or 5 % of a small one", (total, reserve) => {
  expect(reserveOf(total)).toBe(reserve);
});

test("a disk has a total size, free space and a reserve", () => {
  const { total, free, reserve } = diskSpace(import.meta.dir);
  const { blocks, bsize } = statfsSync(import.meta.dir);
  expect(total).toBe(blocks * bsize);
  expect(free).toBeLessThanOrEqual(total);
  expect(reserve).toBe(reserveOf(total));
});

test("a missing folder has no disk", () => {
  expect(() => diskSpace("/nowhere/at/all")).toThrow("ENOENT");
});
