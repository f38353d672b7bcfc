import { closeSync, openSync, readSync } from "node:fs";
import type { Room } from "../../domain/accounts/quota.ts";
import type { ManifestFile } from "../../domain/deployments/manifest.ts";
import { MAX_RULE_FILE_BYTES } from "../../domain/deployments/rule-lines.ts";
import type { UnpackedArchive, UploadLimits } from "../../domain/ports/archive.ts";
import type { Blobs } from "../../domain/ports/blobs.ts";
import { ArchiveFile } from "./archive-file.ts";
import type { Entry } from "./entry.ts";
import { inflateInChunks, SmallEntries } from "./inflate.ts";
import { judgeArchive } from "./judge.ts";
import type { SelectedFile } from "./selection.ts";

/** Entries up to this size are inflated in one go, through buffers that are used again; bigger ones in chunks. */
const SMALL_BYTES = 1024 * 1024;

/** What storing one more file costs, in bytes that could be inflated meanwhile: both threads shall be done together. */
const FILE_COST_BYTES = 32 * 1024;

type StoringBlobs = Pick<Blobs, "write" | "stage" | "sync" | "undo" | "path">;

export interface UnpackingPorts {
  /** Opens the content store anew for each upload: what a failed one wrote need not be synced for the next. */
  readonly openBlobs: () => StoringBlobs;
  /** Whether the store has a row for the content, so that it need not be written. */
  readonly knows: (digest: string) => boolean;
}

/** Which part of an archive to store, when several threads store one together. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

export const WHOLE: Share = { index: 0, of: 1 };

/** An archive to be unpacked, and how large it may be. */
export interface UnpackingJob {
  readonly archive: string;
  readonly limits: UploadLimits;
  readonly room?: Room | null;
  readonly share?: Share;
}

/**
 * Judges an archive whole, then stores this share of its files durably. All shares of an archive come to the same
 * judgement, and to the same division. Throws as `Publisher.publish` says.
 */
export async function unpackZip(
  ports: UnpackingPorts,
  { archive, limits, room = null, share = WHOLE }: UnpackingJob,
): Promise<UnpackedArchive> {
  const file = new ArchiveFile(archive);
  try {
    const { files: selected, leftOut, strippedFolder } = judgeArchive(file, limits, room);
    const reused = new Set<string>();
    const blobs = ports.openBlobs();
    const files = await storeDurably({ blobs, knows: ports.knows }, file, divide(selected, share), reused);
    const textOf = (path: string) => readText(blobs, files, path);
    return {
      files: files.sort(byPath),
      reused: [...reused],
      redirectsText: textOf("_redirects"),
      headersText: textOf("_headers"),
      leftOut,
      strippedFolder,
    };
  } finally {
    file.close();
  }
}

/** Puts the shares of one archive together. */
export function mergeShares(shares: readonly UnpackedArchive[]): UnpackedArchive {
  const [first, ...others] = shares;
  if (others.length === 0) return first!;
  return {
    ...first!,
    files: shares.flatMap((share) => share.files).sort(byPath),
    reused: shares.flatMap((share) => share.reused),
    redirectsText: shares.find((share) => share.redirectsText !== null)?.redirectsText ?? null,
    headersText: shares.find((share) => share.headersText !== null)?.headersText ?? null,
  };
}

// --- internal ---

/**
 * Returns this thread's share of the files. Those with one checksum go to one thread: two threads that write the same
 * content at once would get in each other's way.
 */
function divide(files: readonly SelectedFile[], { index, of }: Share): readonly SelectedFile[] {
  if (of === 1) return files;
  const load = Array<number>(of).fill(0);
  const owners = new Map<number, number>();
  return files.filter(({ entry }) => {
    const owner = owners.get(entry.crc) ?? load.indexOf(Math.min(...load));
    owners.set(entry.crc, owner);
    load[owner]! += entry.size + FILE_COST_BYTES;
    return owner === index;
  });
}

async function storeDurably(...what: Parameters<typeof storeFiles>): Promise<ManifestFile[]> {
  const [{ blobs }] = what;
  try {
    const files = await storeFiles(...what);
    await blobs.sync();
    return files;
  } catch (error) {
    blobs.undo();
    throw error;
  }
}

async function storeFiles(
  { blobs, knows }: Pick<UnpackingPorts, "knows"> & { blobs: StoringBlobs },
  file: ArchiveFile,
  selected: readonly SelectedFile[],
  reused: Set<string>,
): Promise<ManifestFile[]> {
  const written = new Set<string>();
  const small = new SmallEntries(SMALL_BYTES);
  const stored: ManifestFile[] = [];
  /** Whether the content has still to be written. */
  const isNew = (digest: string) => {
    if (written.has(digest)) return false;
    if (!reused.has(digest) && knows(digest)) reused.add(digest);
    if (!reused.has(digest)) written.add(digest);
    return !reused.has(digest);
  };
  for (const { path, entry } of selected) {
    const isSmall = Math.max(entry.size, entry.compressedSize) <= SMALL_BYTES;
    const digest = isSmall
      ? storeSmall(blobs, small.read(file, entry), isNew)
      : await storeBig(blobs, file, entry, isNew);
    stored.push({ path, digest, size: entry.size });
  }
  return stored;
}

function storeSmall(blobs: StoringBlobs, content: Buffer, isNew: (digest: string) => boolean): string {
  // In one call: a hasher for each of thousands of files stays in memory until the next collection.
  const digest = Bun.CryptoHasher.hash("sha256", content, "hex");
  if (isNew(digest)) blobs.write(digest, content);
  return digest;
}

async function storeBig(
  blobs: StoringBlobs,
  file: ArchiveFile,
  entry: Entry,
  isNew: (digest: string) => boolean,
): Promise<string> {
  const staged = blobs.stage();
  try {
    const hasher = new Bun.CryptoHasher("sha256");
    await inflateInChunks(file, entry, (chunk) => {
      hasher.update(chunk);
      staged.write(chunk);
    });
    const digest = hasher.digest("hex");
    if (isNew(digest)) staged.commit(digest);
    return digest;
  } finally {
    staged.abort();
  }
}

function readText(blobs: Pick<Blobs, "path">, files: readonly ManifestFile[], path: string): string | null {
  const file = files.find((candidate) => candidate.path === path);
  if (!file) return null;
  const bytes = Buffer.alloc(Math.min(file.size, MAX_RULE_FILE_BYTES + 1));
  const fd = openSync(blobs.path(file.digest), "r");
  try {
    return new TextDecoder().decode(bytes.subarray(0, readSync(fd, bytes)));
  } finally {
    closeSync(fd);
  }
}

function byPath(one: ManifestFile, other: ManifestFile): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
