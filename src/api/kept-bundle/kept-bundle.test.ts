import { expect, test } from "bun:test";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { fingerprintOfSources } from "./kept-bundle.ts";

test("a stored bundle is outdated if a source was written, added or removed, but not a test", () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "public", "parts"), { recursive: true });
  const [page, part, tests] = ["main.tsx", "parts/button.tsx", "format.test.ts"].map((name) =>
    join(root, "public", name),
  ) as [string, string, string];
  writeFileSync(page, "one");
  const seen = [fingerprintOfSources(root, "scripts/bundle.ts")];
  writeFileSync(tests, "a test");
  expect(fingerprintOfSources(root, "scripts/bundle.ts")).toBe(seen[0] as string);

  utimesSync(page, 1, 1);
  seen.push(fingerprintOfSources(root, "scripts/bundle.ts"));
  writeFileSync(part, "added");
  seen.push(fingerprintOfSources(root, "scripts/bundle.ts"));
  rmSync(page);
  seen.push(fingerprintOfSources(root, "scripts/bundle.ts"));
  expect(new Set(seen).size).toBe(4);
});
