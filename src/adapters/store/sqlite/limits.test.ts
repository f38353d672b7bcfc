import { afterEach, beforeEach, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { limitsContract } from "../contract/limits.ts";
import { migrate } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-limits-store-"));
  await migrate(join(folder, "vitrine.db"));
  store = openSqliteStore(join(folder, "vitrine.db"));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

describe("limits in SQLite", () => limitsContract(() => store));
