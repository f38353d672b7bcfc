import {
  chownSync,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { partsOfArchive } from "../adapters/backup/archive.ts";
import { partsOfFolder } from "../adapters/backup/folder.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { storeContent } from "../adapters/blobs/store-content.ts";
import { syncPath } from "../adapters/blobs/unsynced.ts";
import { knownSchema } from "../adapters/store/sqlite/migrate.ts";
import { inspectCopy } from "../adapters/store/sqlite/snapshot.ts";
import type { Config } from "../config.ts";
import type { BackupPart } from "../domain/ports/backup.ts";
import type { Blobs } from "../domain/ports/blobs.ts";
import { isFolder } from "./backup.ts";
import { type DataFolder, lockDataFolder, prepareDataFolder, UnusableDataFolder } from "./data-folder.ts";

export interface RestoreReport {
  readonly contents: number;
  readonly bytes: number;
  /** Digests that the backup's store relies on and that the backup does not have whole. */
  readonly missing: readonly string[];
  /** Where the database that was there before was set aside; null where there was none. */
  readonly replaced: string | null;
}

/** A file or folder that is no whole backup; nothing was replaced. */
export class UnusableBackup extends Error {}

/**
 * Puts a backup back: content first, each checked against its digest, the database last, in one step. So a crash in
 * between leaves the data folder as it was, with content that nobody refers to yet. A data folder that has a database
 * is refused unless `replace` is given; then that database is set aside. One that was made for a backup that turns out
 * to be unusable is taken away again. Throws UnusableDataFolder and UnusableBackup.
 */
export async function restoreDataFolder(
  config: Config,
  source: string,
  replace: boolean,
  progress: (contents: number) => void,
): Promise<RestoreReport> {
  if (!existsSync(source)) throw new UnusableBackup(`there is no backup ${source}`);
  const isNew = !existsSync(config.dataDir);
  const folder = prepareDataFolder(config.dataDir);
  const release = lockDataFolder(folder);
  if (!release) throw new UnusableDataFolder(`the data folder ${folder.root} is being served: stop the server first`);
  try {
    if (existsSync(folder.database) && !replace) {
      throw new UnusableDataFolder(
        `the data folder ${folder.root} is in use: restore into an empty one, or give --replace to set its database aside`,
      );
    }
    return await restore(folder, source, progress);
  } catch (error) {
    // Nobody else can have begun to use it: its lock is held.
    if (isNew) rmSync(folder.root, { recursive: true, force: true });
    throw error;
  } finally {
    release();
    // Root may have run this for the user whose folder it is.
    if (existsSync(folder.root)) giveToOwner(folder.root);
  }
}

async function restore(folder: DataFolder, source: string, progress: (contents: number) => void) {
  const blobs = openFilesystemBlobs(folder.content);
  const arriving = `${folder.database}.restoring`;
  rmSync(arriving, { force: true });
  const { whole, bytes } = await receive(folder, blobs, source, arriving, progress);
  const { contents } = inspect(arriving, source);
  const missing = contents.filter(({ digest }) => !whole.has(digest)).map(({ digest }) => digest);
  await blobs.sync();
  syncPath(arriving);
  const replaced = setAside(folder);
  renameSync(arriving, folder.database);
  syncPath(folder.root);
  return { contents: contents.length, bytes, missing, replaced };
}

/** Takes the backup's parts to their places, the database beside its own. */
async function receive(
  folder: DataFolder,
  blobs: Blobs,
  source: string,
  arriving: string,
  progress: (contents: number) => void,
): Promise<{ whole: ReadonlySet<string>; bytes: number }> {
  const whole = new Set<string>();
  let bytes = 0;
  const settings = join(folder.root, "vitrine.toml");
  try {
    for await (const part of isFolder(source) ? partsOfFolder(source) : partsOfArchive(source)) {
      if (part.kind === "content" && (await storeContent(blobs, part.digest, part.read()))) {
        whole.add(part.digest);
        bytes += part.size;
        progress(whole.size);
      } else if (part.kind === "store") await writeTo(arriving, part);
      // Settings that are there were made for this machine.
      else if (part.kind === "settings" && !existsSync(settings)) await writeTo(settings, part);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) {
      throw new UnusableBackup(`${source} is no whole backup: ${(error as Error).message}`);
    }
    throw error;
  }
  if (!existsSync(arriving)) throw new UnusableBackup(`${source} is no backup: it has no vitrine.db`);
  return { whole, bytes };
}

function inspect(file: string, source: string) {
  let copy: ReturnType<typeof inspectCopy>;
  try {
    copy = inspectCopy(file);
  } catch (error) {
    throw new UnusableBackup(`the database in ${source} is damaged: ${(error as Error).message}`);
  }
  if (copy.schema > knownSchema()) {
    throw new UnusableBackup(
      `${source} was made by a newer Vitrine (schema ${copy.schema}): restore it with that version`,
    );
  }
  return copy;
}

/** For its owner's eyes alone, like everything in the data folder. */
function writeTo(file: string, part: BackupPart): Promise<void> {
  return pipeline(part.read(), createWriteStream(file, { mode: 0o600 }));
}

/** Moves the database with its log into a folder of its own: only together they are what it was. */
function setAside({ root, database }: DataFolder): string | null {
  if (!existsSync(database)) return null;
  const aside = join(root, `replaced-${new Date().toISOString().replaceAll(":", "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(database + suffix)) renameSync(database + suffix, join(aside, `vitrine.db${suffix}`));
  }
  return aside;
}

function giveToOwner(root: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(root);
  if (uid === 0) return;
  const give = (path: string) => {
    chownSync(path, uid, gid);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
  };
  give(root);
}
