import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveUpBallast, layBallast } from "./ballast.ts";

test("ballast is given up once, and what cannot be taken away is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-ballast-"));
  const database = join(folder, "vitrine.db");
  layBallast(database);
  expect(existsSync(join(folder, "ballast"))).toBe(true);
  expect([giveUpBallast(database), giveUpBallast(database)]).toEqual([true, false]);
  // To root everything may be removed, but no folder as if it were a file.
  mkdirSync(join(folder, "ballast"));
  expect(giveUpBallast(database)).toBe(false);
  rmSync(folder, { recursive: true });
});
