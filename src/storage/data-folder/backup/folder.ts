import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { BackupPart, BackupTarget, Copied } from "../../../domain/ports/backup.ts";
import type { ContentStore } from "../../../domain/ports/content.ts";
import { openContentFolder } from "../../content/filesystem/filesystem.ts";
import { storeContent } from "../../content/store-content.ts";
import { readChunks } from "../../disk/read-file.ts";
import { syncPath } from "../../disk/sync.ts";
import { DESCRIPTION, partOf, SETTINGS, STORE } from "../../folder/layout.ts";
import { isBusy } from "../../sqlite/failures.ts";
import { databaseFiles, foldLog, LOGS } from "../../sqlite/fold-log.ts";
import { acquireLock, shareLock } from "../../sqlite/lock.ts";
import { sealCopy } from "../../sqlite/snapshot.ts";
import { formatDescription, parseDescription } from "./description.ts";
import { type BackupFiles, TargetInUse } from "./files.ts";
import { asFarAsReadable, readableParts } from "./readable-parts.ts";

/** The lock is held while a backup is written. */
const LOCK = "backup.lock";

/**
 * Returns a target that keeps a folder up to date. Only missing or damaged content is copied, and what the backup no
 * longer needs is removed after the new database has replaced the old one. Until then the earlier backup stays
 * complete. Throws TargetInUse while another backup is written there. Completing it throws while another process has
 * its database open.
 */
export async function folderTarget(folder: string, files: BackupFiles): Promise<BackupTarget> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const release = acquireLock(join(folder, LOCK));
  if (!release) throw new TargetInUse();
  let complete = false;
  const content = openContentFolder(join(folder, "content"));
  // Removes files of a backup that was killed.
  await discardStaged(content);
  const copyOfStore = join(folder, `${STORE}.partial`);
  return {
    takeSnapshot: () => files.database.takeSnapshot(copyOfStore),

    // Reads all existing content, which costs about two seconds per GiB besides the disk's time. Otherwise damage would
    // stay undetected.
    async has({ digest, size }) {
      const isAvailable = (await content.stat(digest))?.size === size;
      // Unreadable content is copied again, too.
      const found = isAvailable ? await content.hash(digest).catch(() => null) : null;
      return found?.digest === digest;
    },

    async copy({ digest }): Promise<Copied> {
      if (!(await files.content.stat(digest))) return "missing";
      return (await storeContent(content, digest, readableParts(files.content, digest))) ? "copied" : "damaged";
    },

    async complete(snapshot) {
      const kept = new Set([...snapshot.contents()].map(({ digest }) => digest));
      await content.sync();
      const digest = await sealCopy(snapshot.file);
      syncPath(snapshot.file);
      removeLog(join(folder, STORE));
      const before = digestsBefore(folder);
      // A crash may happen on either side of the renaming, and a database without a description does not count as a
      // backup. A backup whose description has no digest stays valid meanwhile.
      if (before.length > 0 || !existsSync(join(folder, STORE))) describe(folder, files, [digest, ...before]);
      renameSync(snapshot.file, join(folder, STORE));
      syncPath(folder);
      if (files.settings !== null) writePrivate(join(folder, SETTINGS), files.settings);
      else rmSync(join(folder, SETTINGS), { force: true });
      describe(folder, files, [digest]);
      await prune(content, kept);
      complete = true;
      release();
    },

    async abandon() {
      if (complete) return;
      // Synchronous, because a process that ends does not wait.
      const discarded = discardStaged(content);
      for (const file of databaseFiles(copyOfStore)) rmSync(file, { force: true });
      release();
      await discarded;
    },
  };
}

/**
 * Yields the parts of a backup folder without changing it. Throws TargetInUse while a backup is written there, and
 * keeps another one from starting until all parts are read.
 */
export async function* partsOfFolder(folder: string): AsyncGenerator<BackupPart> {
  const names = readdirSync(folder);
  const release = names.includes(LOCK) ? shareLock(readable(join(folder, LOCK))) : () => {};
  if (!release) throw new TargetInUse();
  try {
    for (const name of namesIn(folder, names)) {
      const part = partOf(name);
      const path = join(folder, name);
      if (part) yield { ...part, size: statSync(path).size, read: () => read(part.kind, path) };
    }
  } finally {
    release();
  }
}

// --- internal ---

/** Content that the disk cannot read does not prevent the restore of everything else. */
function read(kind: BackupPart["kind"], path: string): AsyncIterable<Uint8Array> {
  return kind === "content" ? asFarAsReadable(readChunks(path)) : readChunks(path);
}

/** Returns the file if it can be read. Otherwise throws, because SQLite would not say which file is unreadable. */
function readable(file: string): string {
  accessSync(file, constants.R_OK);
  return file;
}

/** The content comes first, because the database is not needed if the content cannot be read. */
function* namesIn(folder: string, names: readonly string[]): Iterable<string> {
  const folders = names.includes("content") ? readdirSync(join(folder, "content")) : [];
  for (const fanOut of folders.filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const digest of readdirSync(join(folder, "content", fanOut))) yield `content/${fanOut}/${digest}`;
  }
  yield* names;
}

/**
 * `vitrine verify` works on a backup folder and may have been killed there. Its log must not be applied to the new
 * database.
 */
function removeLog(database: string): void {
  if (!LOGS.some((log) => existsSync(database + log))) return;
  try {
    foldLog(database);
  } catch (error) {
    throw isBusy(error) ? new TargetInUse() : error;
  }
  for (const log of LOGS) rmSync(database + log, { force: true });
}

function describe(folder: string, { origin }: BackupFiles, digests: readonly string[]): void {
  writePrivate(join(folder, DESCRIPTION), formatDescription({ format: 1, ...origin, database_sha256: digests }));
  syncPath(folder);
}

function digestsBefore(folder: string): readonly string[] {
  try {
    return parseDescription(readFileSync(join(folder, DESCRIPTION), "utf8")).database_sha256;
  } catch {
    return [];
  }
}

/** Only the holder of the lock stages files here. */
async function discardStaged(content: ContentStore): Promise<void> {
  await content.deleteUnfinished(Number.POSITIVE_INFINITY);
}

async function prune(content: ContentStore, kept: ReadonlySet<string>): Promise<void> {
  for await (const { digest } of content.list())
    if (!kept.has(digest)) await content.delete(digest, Number.POSITIVE_INFINITY);
}

/** Writes a private file atomically. */
function writePrivate(file: string, value: string | Uint8Array): void {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, value, { mode: 0o600, flush: true });
  renameSync(partial, file);
}
