import { Database } from "bun:sqlite";
import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { newGenerationCell } from "../generation.ts";
import { migrate } from "../migrate.ts";
import { openSqliteStore } from "../store.ts";

/** An empty database with the connections of two threads of one process. */
export interface FreshStore {
  readonly file: string;
  readonly store: Store;
  readonly other: Store;
}

let empty: Uint8Array | null = null;

/**
 * Creates an empty database. Later ones are copies of the first, because all migrations take longer than most tests.
 */
async function makeDatabase(file: string): Promise<void> {
  if (empty) return writeFileSync(file, empty, { mode: 0o600 });
  await migrate(file);
  using db = new Database(file);
  empty = db.serialize();
}

/** Gives each test of a file its own store, and removes it afterwards. */
export function freshStore(): FreshStore {
  let folder = "";
  let stores: [Store, Store] | null = null;
  const at = (index: 0 | 1): Store => {
    if (!stores) throw new Error("a store is there while a test runs");
    return stores[index];
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "vitrine-store-"));
    const file = join(folder, "vitrine.db");
    await makeDatabase(file);
    const cell = newGenerationCell();
    stores = [openSqliteStore(file, cell), openSqliteStore(file, cell)];
  });

  afterEach(() => {
    for (const store of stores ?? []) store.close();
    stores = null;
    rmSync(folder, { recursive: true });
  });

  return {
    get file() {
      return join(folder, "vitrine.db");
    },
    get store() {
      return at(0);
    },
    get other() {
      return at(1);
    },
  };
}
