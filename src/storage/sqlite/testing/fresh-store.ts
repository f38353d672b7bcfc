import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { newGenerationCell } from "../generation.ts";
import { openSqliteStore } from "../store.ts";
import { copyEmptyDatabase } from "./temporary-store.ts";

/** An empty database with the connections of two threads of one process. */
export interface FreshStore {
  readonly file: string;
  readonly store: Store;
  readonly other: Store;
}

/** Gives each test of a file its own store, and removes it afterwards. */
export function freshStore(): FreshStore {
  let folder = "";
  let stores: [Store, Store] | null = null;
  const at = (index: 0 | 1): Store => {
    if (!stores) throw new Error("a store is there while a test runs");
    return stores[index];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "vitrine-store-"));
    const file = join(folder, "vitrine.db");
    copyEmptyDatabase(file);
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
