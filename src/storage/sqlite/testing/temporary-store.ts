import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { afterFile } from "../../../testing/after-file.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { migrate } from "../migrate.ts";
import { openSqliteStore } from "../store.ts";

/** An empty database. A copy of it is there a hundred times sooner than a migrated file. */
const template = await makeTemplate();

/** Returns the path of an empty database, which is removed after the tests of the file. */
export function temporaryDatabase(): string {
  const file = join(temporaryFolder(), "vitrine.db");
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
  afterFile(() => store.close());
  return store;
}

// --- internal ---

async function makeTemplate(): Promise<Uint8Array> {
  const file = join(temporaryFolder(), "template.db");
  await migrate(file);
  using db = new Database(file);
  return db.serialize();
}
