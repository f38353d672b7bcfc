import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { databaseFiles } from "../adapters/store/sqlite/fold-log.ts";
import { isOutdated } from "../adapters/store/sqlite/migrate.ts";
import type { Store } from "../domain/ports/store.ts";
import { type DataFolder, dataFolder, openStore } from "./data-folder.ts";
import { clearingUpAtEnd } from "./ending.ts";

/**
 * Opens the store of the folder for looking at it. A backup that an earlier executable made stays as it was made, or it
 * could not be restored: a copy of its database is brought to the schema of this executable, and opened. Throws
 * UnusableDataFolder.
 */
export async function openStoreToLook(folder: DataFolder): Promise<Store> {
  if (!existsSync(folder.description) || !isOutdated(folder.database)) return openStore(folder);
  return openCopy(folder);
}

// --- internal ---

/**
 * The copy holds everybody's keys: it loses its name as soon as SQLite has its files open, so that nothing of it
 * outlives the process, however that ends.
 */
async function openCopy(folder: DataFolder): Promise<Store> {
  const copy = dataFolder(join(tmpdir(), `vitrine-look-${crypto.randomUUID()}`));
  const removeNames = () => rmSync(copy.root, { recursive: true, force: true });
  return clearingUpAtEnd(removeNames, async () => {
    try {
      mkdirSync(copy.root, { mode: 0o700 });
      for (const file of databaseFiles(folder.database)) copyFileSync(file, join(copy.root, basename(file)));
      return await openStore(copy);
    } finally {
      removeNames();
    }
  });
}
