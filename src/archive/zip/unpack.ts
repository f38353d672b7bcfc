import { holdsPrivateKey } from "../../domain/deployments/private-key.ts";
import type { ManifestFile } from "../../domain/model/manifest.ts";
import type { Room } from "../../domain/model/quota.ts";
import type { UnpackedArchive, UploadLimits } from "../../domain/ports/archive.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import { MAX_RULE_FILE_BYTES } from "../../domain/rules/rule-lines.ts";
import { ArchiveFile } from "./archive-file.ts";
import type { Entry } from "./entry.ts";
import { inflateInChunks, readEntry } from "./inflate.ts";
import { Utf8Validator } from "./utf8-validator.ts";
import { type SelectedFile, validateArchive } from "./validate.ts";

/** Entries up to this size are inflated in one call; larger ones in chunks. */
const SMALL_BYTES = 1024 * 1024;

/** Small files are read, looked up in the store and written in batches of at most this size. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 500;

type StoringContent = Pick<ContentStore, "read" | "put" | "stage" | "sync" | "undo">;

export interface UnpackingPorts {
  /** Opens the content store for each upload, so that writes of a failed upload need not be synced for the next. */
  readonly openContent: () => StoringContent;
  /** Returns whether a file with this path is sent with a charset. */
  readonly isText: (path: string) => boolean;
  /** Returns the digests of content that is stored and need not be written. */
  readonly known: (digests: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** The part of an archive's files that one of several threads stores. */
export interface Share {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** An archive to unpack, with its limits. Without a share it is unpacked whole. */
interface UnpackingJob {
  readonly archive: string;
  readonly limits: UploadLimits;
  readonly room?: Room | null;
  readonly share?: Share;
}

/**
 * Validates the whole archive, then stores the files of the share durably. The threads that share an archive come to the
 * same verdict and the same division. Throws as `Publisher.publish` says.
 */
export async function unpackZip(
  { openContent, isText, known }: UnpackingPorts,
  { archive, limits, room = null, share = { index: 0, of: 1 } }: UnpackingJob,
): Promise<UnpackedArchive> {
  const file = new ArchiveFile(archive);
  try {
    const { files: selected, leftOut, strippedFolder } = validateArchive(file, limits, room);
    const content = openContent();
    const storing = new Storing(file, content, { isText, known });
    await storeDurably(storing, content, divide(selected, share));
    const textOf = (path: string) => readText(content, storing.files, path);
    return {
      files: storing.files.sort(byPath),
      reused: [...storing.reused],
      legacyTexts: storing.legacyTexts,
      privateKeys: storing.privateKeys.sort(),
      redirectsText: await textOf("_redirects"),
      headersText: await textOf("_headers"),
      guessedNames: selected.filter(({ entry }) => entry.isGuessed).map(({ entry }) => entry.name),
      leftOut,
      strippedFolder,
    };
  } finally {
    file.close();
  }
}

/** Puts the shares of one archive together. */
export function mergeShares([first, ...others]: readonly [UnpackedArchive, ...UnpackedArchive[]]): UnpackedArchive {
  if (others.length === 0) return first;
  const shares = [first, ...others];
  const textOf = (name: "redirectsText" | "headersText") =>
    shares.find((share) => share[name] !== null)?.[name] ?? null;
  return {
    ...first,
    files: shares.flatMap(({ files }) => files).sort(byPath),
    reused: shares.flatMap(({ reused }) => reused),
    legacyTexts: shares.flatMap(({ legacyTexts }) => legacyTexts),
    privateKeys: shares.flatMap(({ privateKeys }) => privateKeys).sort(),
    redirectsText: textOf("redirectsText"),
    headersText: textOf("headersText"),
  };
}

// --- internal ---

/** Storing one more file takes as long as inflating this many bytes. */
const FILE_COST_BYTES = 32 * 1024;

/**
 * Returns the files of a share. Files with the same checksum are in one share, because two threads that write the same
 * content at once would get in each other's way.
 */
function divide(files: readonly SelectedFile[], { index, of }: Share): readonly SelectedFile[] {
  if (of === 1) return files;
  const loads = Array<number>(of).fill(0);
  const owners = new Map<number, number>();
  return files.filter(({ entry }) => {
    const owner = owners.get(entry.crc) ?? loads.indexOf(Math.min(...loads));
    owners.set(entry.crc, owner);
    loads[owner]! += entry.size + FILE_COST_BYTES;
    return owner === index;
  });
}

async function storeDurably(
  storing: Storing,
  content: StoringContent,
  selected: readonly SelectedFile[],
): Promise<void> {
  try {
    for (const file of selected) await storing.add(file);
    await storing.finish();
    await content.sync();
  } catch (error) {
    await content.undo();
    throw error;
  }
}

/** Stores the files of one archive. Content that is stored already is not written. */
class Storing {
  readonly files: ManifestFile[] = [];
  readonly legacyTexts: ManifestFile[] = [];
  /** Of small files only: a key is a few kilobytes. */
  readonly privateKeys: string[] = [];
  readonly reused = new Set<string>();
  readonly #written = new Set<string>();
  #batch: { readonly digest: string; readonly bytes: Buffer }[] = [];
  #batchBytes = 0;

  constructor(
    readonly archive: ArchiveFile,
    readonly content: StoringContent,
    readonly ports: Pick<UnpackingPorts, "isText" | "known">,
  ) {}

  async add({ path, entry }: SelectedFile): Promise<void> {
    const isSmall = Math.max(entry.size, entry.compressedSize) <= SMALL_BYTES;
    const text = this.ports.isText(path) ? new Utf8Validator() : null;
    const digest = isSmall ? this.#addSmall(path, entry, text) : await this.#storeLarge(entry, text);
    const file = { path, digest, size: entry.size };
    this.files.push(file);
    if (text?.isValid() === false) this.legacyTexts.push(file);
    if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_FILES) await this.finish();
  }

  /** Writes the new content of the batch. */
  async finish(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    const known = await this.#lookUp(batch.map(({ digest }) => digest));
    for (const { digest, bytes } of batch) if (this.#isNew(digest, known)) await this.content.put(digest, bytes);
  }

  #addSmall(path: string, entry: Entry, text: Utf8Validator | null): string {
    const bytes = readEntry(this.archive, entry);
    text?.add(bytes);
    if (holdsPrivateKey(bytes)) this.privateKeys.push(path);
    // In one call, because a hasher per file stays in memory until the next garbage collection.
    const digest = Bun.CryptoHasher.hash("sha256", bytes, "hex");
    this.#batch.push({ digest, bytes });
    this.#batchBytes += bytes.length;
    return digest;
  }

  async #storeLarge(entry: Entry, text: Utf8Validator | null): Promise<string> {
    const staged = await this.content.stage();
    try {
      const hasher = new Bun.CryptoHasher("sha256");
      await inflateInChunks(this.archive, entry, (chunk) => {
        hasher.update(chunk);
        text?.add(chunk);
        return staged.write(chunk);
      });
      const digest = hasher.digest("hex");
      if (this.#isNew(digest, await this.#lookUp([digest]))) await staged.commit(digest);
      return digest;
    } finally {
      await staged.abort();
    }
  }

  async #lookUp(digests: readonly string[]): Promise<ReadonlySet<string>> {
    const unseen = digests.filter((digest) => !this.#written.has(digest) && !this.reused.has(digest));
    return unseen.length === 0 ? new Set() : this.ports.known(unseen);
  }

  /** Returns whether the content must be written; records it as written or reused. */
  #isNew(digest: string, known: ReadonlySet<string>): boolean {
    if (this.#written.has(digest) || this.reused.has(digest)) return false;
    if (known.has(digest)) this.reused.add(digest);
    else this.#written.add(digest);
    return !known.has(digest);
  }
}

async function readText(
  content: Pick<ContentStore, "read">,
  files: readonly ManifestFile[],
  path: string,
): Promise<string | null> {
  const file = files.find((candidate) => candidate.path === path);
  if (!file) return null;
  const span = { start: 0, end: MAX_RULE_FILE_BYTES + 1 };
  return new TextDecoder().decode(await content.read(file.digest, span));
}

function byPath(one: ManifestFile, other: ManifestFile): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
