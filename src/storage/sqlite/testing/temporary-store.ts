import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { migrate } from "../migrate.ts";
import { openSqliteStore } from "../store.ts";

const stores: Store[] = [];
const folders: string[] = [];

/** An empty database. A copy of it is there a hundred times sooner than a migrated file. */
const template = await makeTemplate();

afterAll(() => {
  for (const store of stores.splice(0)) store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Returns the path of an empty database, which is removed after the tests of the file. */
export function temporaryDatabase(): string {
  const folder = temporaryFolder();
  const file = join(folder, "vitrine.db");
  copyEmptyDatabase(file);
  return file;
}

/** Makes the file an empty database. */
export function copyEmptyDatabase(file: string): void {
  writeFileSync(file, template, { mode: 0o600 });
}

/** Opens a store, by default on an empty database. It is closed after the tests of the file. */
export function temporaryStore(file: string = temporaryDatabase()): Store {
  const store = openSqliteStore(file);
  stores.push(store);
  return store;
}

// --- internal ---

async function makeTemplate(): Promise<Uint8Array> {
  const file = join(temporaryFolder(), "template.db");
  await migrate(file);
  using db = new Database(file);
  return db.serialize();
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-store-"));
  folders.push(folder);
  return folder;
}
