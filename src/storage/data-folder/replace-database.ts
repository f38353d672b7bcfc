import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { syncPath } from "../disk/sync.ts";
import { type DataFolder, dataFolder, UnusableDataFolder } from "../folder/data-folder.ts";
import { isBusy } from "../sqlite/failures.ts";
import { databaseFiles, foldLog, LOGS } from "../sqlite/fold-log.ts";
import { contentsOf, encodingsOf } from "../sqlite/snapshot.ts";
import { linkContent } from "./link-content.ts";

/** The files that a restore prepares before they replace anything. */
export interface PreparedFiles {
  readonly database: string;
  readonly settings: string;
  /** The folder for the old files, until all of them are moved there. */
  readonly aside: string;
}

/** Creates the folder of the prepared files. An existing one is a leftover of a crash. */
export function createPreparedFolder({ restoring }: DataFolder): PreparedFiles {
  rmSync(restoring, { recursive: true, force: true });
  mkdirSync(restoring, { mode: 0o700 });
  const { database, settings } = dataFolder(restoring);
  return { database, settings, aside: join(restoring, "aside") };
}

/** Returns whether there is a database or a log, which alone would be applied to the database that replaces it. */
export function holdsDatabase({ database }: DataFolder): boolean {
  return databaseFiles(database).length > 0;
}

/**
 * Moves the prepared files to their places, and sets the old ones aside as a separate data folder with its content. A
 * crash after any step (`after` is called for tests) leaves the old state or the new one complete, at worst without the
 * new settings. Returns the path of the old one; null if there was none. Throws UnusableDataFolder if another command
 * uses the database.
 */
export async function replaceDatabase(
  folder: DataFolder,
  arrival: PreparedFiles,
  after: (step: string) => void = () => {},
): Promise<string | null> {
  let replaced: string | null = null;
  if (holdsDatabase(folder)) {
    fold(folder);
    after("folded");
    await copyAside(folder, arrival.aside);
    after("copied");
    replaced = join(folder.root, `replaced-${new Date().toISOString().replaceAll(":", "-")}`);
    renameSync(arrival.aside, replaced);
    syncPath(folder.root);
    after("set aside");
    // Logs exist only if the database was damaged or missing.
    for (const log of LOGS) rmSync(folder.database + log, { force: true });
    syncPath(folder.root);
    after("without a log");
  }
  renameSync(arrival.database, folder.database);
  syncPath(folder.root);
  after("database");
  // Moved last, because the old database must not be served with other settings.
  if (existsSync(arrival.settings)) renameSync(arrival.settings, folder.settings);
  syncPath(folder.root);
  after("done");
  return replaced;
}

// --- internal ---

function fold({ database }: DataFolder): void {
  try {
    foldLog(database);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new UnusableDataFolder(`${database} is used by another command: wait until it has ended`);
  }
}

async function copyAside(folder: DataFolder, aside: string): Promise<void> {
  mkdirSync(aside, { mode: 0o700 });
  const there = dataFolder(aside);
  await linkContent(folder.content, there.content, referencedContent(folder));
  for (const file of databaseFiles(folder.database)) {
    const copy = there.database + file.slice(folder.database.length);
    copyFileSync(file, copy);
    syncPath(copy);
  }
  syncPath(aside);
}

/** Yields the referenced content; all content if the database is unreadable. */
async function* referencedContent({ database, content }: DataFolder): AsyncGenerator<string> {
  let contents: { digest: string }[];
  try {
    contents = [...contentsOf(database), ...encodingsOf(database)];
  } catch {
    contents = await Array.fromAsync(openFilesystemContent(content).list());
  }
  for (const { digest } of contents) yield digest;
}
