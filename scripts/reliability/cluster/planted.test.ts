import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUILDS, NEXT } from "./planted.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");

test.each([...Object.entries(BUILDS), ["next version", NEXT]] as const)(
  "the sources have each line that the build %j changes, once",
  (_, patches) => {
    for (const { file, from } of patches) {
      expect([file, from, readFileSync(join(ROOT, file), "utf8").split(from).length - 1]).toEqual([file, from, 1]);
    }
  },
);
