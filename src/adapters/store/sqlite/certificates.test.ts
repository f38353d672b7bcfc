import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { certificateContract } from "../contract/certificates.ts";
import { newGenerationCell } from "./generation.ts";
import { migrate } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let stores: [Store, Store];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-certificates-"));
  const file = join(folder, "vitrine.db");
  await migrate(file);
  const cell = newGenerationCell();
  stores = [openSqliteStore(file, cell), openSqliteStore(file, cell)];
});

afterEach(() => {
  for (const store of stores) store.close();
  rmSync(folder, { recursive: true });
});

describe("certificates in SQLite", () => {
  certificateContract(
    () => stores[0],
    () => stores[1],
  );

  test("private keys lie in files that only their owner can read", () => {
    for (const suffix of ["", "-wal"]) {
      expect(statSync(join(folder, `vitrine.db${suffix}`)).mode & 0o077).toBe(0);
    }
  });
});
