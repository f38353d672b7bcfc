import { formatBytes } from "../../domain/byte-size.ts";
import { leftOutBy } from "../../domain/deployments/left-out.ts";
import { excessOf, overQuota, type Room } from "../../domain/model/quota.ts";
import type { UploadLimits } from "../../domain/ports/archive.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { type DirectoryLocation, locateDirectory } from "./end-record.ts";
import { type Entry, readEntry } from "./entry.ts";
import { validateLayout } from "./layout.ts";
import { validateStart } from "./name.ts";
import { inDifferentBytes, overLimit, quoted, refusedArchive, refusedEntry } from "./refusal.ts";

/** Maximum size of the directory, the only part whose cost depends on the archive's claims. */
export const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** From this number of entries on, a garbage collection of some ten milliseconds is justified. */
const LONG_LIST = 5000;

/** Folders and ignored files do not count against the file limit, but are limited too. */
const ENTRIES_PER_FILE = 2;
const SPARE_ENTRIES = 1000;

/**
 * Validates a whole archive without inflating it, and returns the files of the site in archive order.
 * Throws `limit_exceeded` from the declared sizes, and `invalid` naming the entry for everything else.
 */
export function validateArchive(file: ArchiveFile, limits: UploadLimits, room: Room | null): Selection {
  if (file.size > limits.archiveBytes) throw overLimit(`an archive may have ${formatBytes(limits.archiveBytes)}`);
  const directory = locateDirectory(file);
  const entries = readDirectory(file, directory, limits);
  validateTree(entries);
  validateLayout(file, entries, directory);
  // Validating thousands of entries leaves as much garbage as the entries themselves.
  if (entries.length > LONG_LIST) Bun.gc(true);
  const selection = selectFiles(entries);
  if (selection.files.length === 0) throw refusedArchive("it holds no file: put at least an index.html into it");
  if (room) validateRoom(selection, room);
  return selection;
}

/** The owner's quota is checked again at publication, because of concurrent deployments. */
function validateRoom({ files }: Selection, { quota, usage }: Room): void {
  const bytes = files.reduce((total, { entry }) => total + entry.size, 0);
  const excess = excessOf(quota, usage, { sites: 0, bytes });
  if (excess) throw overQuota(excess);
}

function readDirectory(file: ArchiveFile, directory: DirectoryLocation, limits: UploadLimits): Entry[] {
  if (directory.end - directory.start > MAX_DIRECTORY_BYTES) {
    throw overLimit(
      `the archive's list of entries may have ${formatBytes(MAX_DIRECTORY_BYTES)}: use fewer or shorter names`,
    );
  }
  const entries: Entry[] = [];
  const count = limitCounter(limits);
  let at = directory.start;
  while (at < directory.end) {
    const { entry, next } = readEntry(file, at, directory.end, directory.shift);
    count(entry);
    entries.push(entry);
    at = next;
  }
  if (entries.length !== directory.count) {
    throw refusedArchive(`it claims ${directory.count} entries and lists ${entries.length}: it is damaged`);
  }
  return entries;
}

/** Returns a function that counts an entry and throws `limit_exceeded` beyond the limits. */
function limitCounter(limits: UploadLimits): (entry: Entry) => void {
  const maxEntries = limits.files * ENTRIES_PER_FILE + SPARE_ENTRIES;
  let entries = 0;
  let files = 0;
  let bytes = 0;
  return (entry) => {
    const { name, folder, size } = entry;
    entries++;
    if (entries > maxEntries) throw overLimit(`an archive may have ${maxEntries} entries with all its folders`);
    if (folder || leftOutBy(entry.path) !== null) return;
    files++;
    bytes += size;
    if (files > limits.files) throw overLimit(`a deployment may have ${limits.files} files`);
    if (size > limits.fileBytes) {
      const [most, has] = inDifferentBytes(limits.fileBytes, size);
      throw overLimit(`a file may have ${most}: entry ${quoted(name)} has ${has}`);
    }
    if (bytes > limits.siteBytes)
      throw overLimit(`the files of a deployment may have ${formatBytes(limits.siteBytes)}`);
  };
}

/**
 * Refuses duplicate paths, and a file that is also a folder. Sorted with the separator as the smallest
 * character, everything inside a path follows it directly, so comparing neighbours is enough; a set of all folders could
 * have millions of entries.
 */
function validateTree(entries: readonly Entry[]): void {
  const sorted = entries.map((entry) => ({ key: entry.path.replaceAll("/", "\0"), entry }));
  sorted.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  for (let index = 1; index < sorted.length; index++) {
    const previous = sorted[index - 1]!;
    const { key, entry } = sorted[index]!;
    const oneFolder = previous.entry.folder !== entry.folder;
    if (key === previous.key && !oneFolder) throw refusedEntry(entry.name, "is there twice: keep one of the two");
    const inside = !previous.entry.folder && key.startsWith(`${previous.key}\0`);
    if (inside || (key === previous.key && oneFolder)) {
      throw refusedEntry(
        previous.entry.name,
        `is a file and also a folder (${quoted(entry.name)}): rename one of them`,
      );
    }
  }
}

/** The files of an archive that become the site. */
interface Selection {
  /** Files with their path in the site, in archive order. */
  readonly files: readonly SelectedFile[];
  /** Ignored paths: files, and folders with a trailing `/`. */
  readonly leftOut: readonly string[];
  readonly strippedFolder: string | null;
}

export interface SelectedFile {
  readonly path: string;
  readonly entry: Entry;
}

/**
 * Removes ignored entries, and strips a common folder of all files. Throws `invalid` if an
 * absolute path remains.
 */
function selectFiles(entries: readonly Entry[]): Selection {
  const leftOut = new Set<string>();
  const kept: Entry[] = [];
  for (const entry of entries) {
    const reason = leftOutBy(entry.path, entry.folder);
    if (reason !== null) leftOut.add(reason);
    else kept.push(entry);
  }
  const files = kept.filter((entry) => !entry.folder);
  const strippedFolder = wrappingFolder(kept);
  const skip = strippedFolder === null ? 0 : strippedFolder.length + 1;
  const selected = files.map((entry) => ({ path: entry.path.slice(skip), entry }));
  for (const { path, entry } of selected) validateStart(entry.name, path);
  return {
    files: selected,
    leftOut: [...leftOut],
    strippedFolder,
  };
}

/** Returns the common folder of all files, or null. The path of a listed root is empty. */
function wrappingFolder(entries: readonly Entry[]): string | null {
  const first = entries[0]?.path.split("/", 1)[0];
  if (!first) return null;
  const prefix = `${first}/`;
  const inside = (entry: Entry) => entry.path.startsWith(prefix) || (entry.folder && entry.path === first);
  return entries.every(inside) ? first : null;
}
