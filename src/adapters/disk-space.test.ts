import { expect, test } from "bun:test";
import { statfsSync } from "node:fs";
import { diskSpace } from "./disk-space.ts";

test("a disk has a total, what is free of it, and a reserve of 200 MiB or of 5 % of a small one", () => {
  const { total, free, reserve } = diskSpace(import.meta.dir);
  const { blocks, bsize } = statfsSync(import.meta.dir);
  expect(total).toBe(blocks * bsize);
  expect(free).toBeLessThanOrEqual(total);
  expect(reserve).toBe(Math.min(200 * 1024 * 1024, 0.05 * total));
});

test("of what is not there no disk is told", () => {
  expect(() => diskSpace("/nowhere/at/all")).toThrow("ENOENT");
});
