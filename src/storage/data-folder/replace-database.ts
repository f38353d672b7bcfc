import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { linkContent } from "../content/filesystem/link-content.ts";
import { syncPath } from "../content/filesystem/unsynced.ts";
import { isBusy } from "../sqlite/failures.ts";
import { databaseFiles, foldLog, LOGS } from "../sqlite/fold-log.ts";
import { contentsOf, encodingsOf } from "../sqlite/snapshot.ts";
import { type DataFolder, dataFolder, UnusableDataFolder } from "./data-folder.ts";

/** What a restore puts together before anything takes its place. */
export interface Arrival {
  readonly database: string;
  readonly settings: string;
  /** What was there before, until all of it is. */
  readonly aside: string;
}

/** Makes the folder of what arrives; an earlier one is what a crash left. */
export function makeArrival({ restoring }: DataFolder): Arrival {
  rmSync(restoring, { recursive: true, force: true });
  mkdirSync(restoring, { mode: 0o700 });
  const { database, settings } = dataFolder(restoring);
  return { database, settings, aside: join(restoring, "aside") };
}

/** Whether there is a database, or the log of one: a log alone would be read into the database that takes its place. */
export function holdsDatabase({ database }: DataFolder): boolean {
  return databaseFiles(database).length > 0;
}

/**
 * Puts what arrived in its place, and sets what was there aside: a data folder of its own, content included. A crash
 * after any step, as `after` hears of it, leaves the old state whole or the new one, at worst without the settings that
 * arrived. Returns where the old one is, null where there was none. Throws UnusableDataFolder where another command
 * uses the database.
 */
export async function replaceDatabase(
  folder: DataFolder,
  arrival: Arrival,
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
    // Only beside a database that is damaged, or gone, is there still any.
    for (const log of LOGS) rmSync(folder.database + log, { force: true });
    syncPath(folder.root);
    after("without a log");
  }
  renameSync(arrival.database, folder.database);
  syncPath(folder.root);
  after("database");
  // Not before: the old database must not be served with the settings of another.
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
  await linkContent(folder.content, there.content, reliedOn(folder));
  for (const file of databaseFiles(folder.database)) {
    const copy = there.database + file.slice(folder.database.length);
    copyFileSync(file, copy);
    syncPath(copy);
  }
  syncPath(aside);
}

/** Everything, where the database cannot tell. */
async function* reliedOn({ database, content }: DataFolder): AsyncGenerator<string> {
  let contents: { digest: string }[];
  try {
    contents = [...contentsOf(database), ...encodingsOf(database)];
  } catch {
    contents = await Array.fromAsync(openFilesystemContent(content).list());
  }
  for (const { digest } of contents) yield digest;
}
