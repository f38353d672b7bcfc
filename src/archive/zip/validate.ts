import { excessOf, overQuota, type Room } from "../../domain/accounts/quota.ts";
import type { UploadLimits } from "../../domain/ports/archive.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { type DirectoryLocation, locateDirectory } from "./end-record.ts";
import { type Entry, readEntry } from "./entry.ts";
import { validateLayout } from "./layout.ts";
import { inBytes, inDifferentBytes, overLimit, quoted, refusedArchive, refusedEntry } from "./refusal.ts";
import { isLeftOut, type Selection, selectFiles } from "./selection.ts";

/** The list of entries may not be longer: it is the one part whose cost grows with what an archive claims. */
export const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** Entries from which on memory is worth a collection of some ten milliseconds. */
const LONG_LIST = 5000;

/** Folders and files that are left out may come on top of the limit of files, but not without end. */
const ENTRIES_PER_FILE = 2;
const SPARE_ENTRIES = 1000;

/**
 * Judges a whole archive without inflating anything, and returns the files of the site in the order of the archive.
 * Throws `limit_exceeded` from the declared sizes, and `invalid` naming the entry for everything else.
 */
export function validateArchive(file: ArchiveFile, limits: UploadLimits, room: Room | null): Selection {
  if (file.size > limits.archiveBytes) throw overLimit(`an archive may have ${inBytes(limits.archiveBytes)}`);
  const directory = locateDirectory(file);
  const entries = readDirectory(file, directory, limits);
  validateTree(entries);
  validateLayout(file, entries, directory);
  // What judging thousands of entries left behind is as much as the entries themselves.
  if (entries.length > LONG_LIST) Bun.gc(true);
  const selection = selectFiles(entries);
  if (selection.files.length === 0) throw refusedArchive("it holds no file: put at least an index.html into it");
  if (room) validateRoom(selection, room);
  return selection;
}

/** The owner's quota is judged again at publication: others of their deployments may be on their way. */
function validateRoom({ files }: Selection, { quota, usage }: Room): void {
  const bytes = files.reduce((total, { entry }) => total + entry.size, 0);
  const excess = excessOf(quota, usage, { sites: 0, bytes });
  if (excess) throw overQuota(excess);
}

function readDirectory(file: ArchiveFile, directory: DirectoryLocation, limits: UploadLimits): Entry[] {
  if (directory.end - directory.start > MAX_DIRECTORY_BYTES) {
    throw overLimit(
      `the archive's list of entries may have ${inBytes(MAX_DIRECTORY_BYTES)}: use fewer or shorter names`,
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

/** Returns a function that adds an entry up and throws `limit_exceeded` with the first one too many. */
function limitCounter(limits: UploadLimits): (entry: Entry) => void {
  const maxEntries = limits.files * ENTRIES_PER_FILE + SPARE_ENTRIES;
  let entries = 0;
  let files = 0;
  let bytes = 0;
  return (entry) => {
    const { name, folder, size } = entry;
    entries++;
    if (entries > maxEntries) throw overLimit(`an archive may have ${maxEntries} entries with all its folders`);
    if (folder || isLeftOut(entry)) return;
    files++;
    bytes += size;
    if (files > limits.files) throw overLimit(`a deployment may have ${limits.files} files`);
    if (size > limits.fileBytes) {
      const [most, has] = inDifferentBytes(limits.fileBytes, size);
      throw overLimit(`a file may have ${most}: entry ${quoted(name)} has ${has}`);
    }
    if (bytes > limits.siteBytes) throw overLimit(`the files of a deployment may have ${inBytes(limits.siteBytes)}`);
  };
}

/**
 * Refuses two entries with one path, and a file that is also a folder. Sorted with the separator as the least
 * character, everything inside a path follows it directly, so neighbours tell; a set of all folders could hold millions.
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
