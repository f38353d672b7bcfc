import { createReadStream, createWriteStream, openSync, readSync } from "node:fs";
import { rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { createTarPacker } from "modern-tar";
import { readTar } from "../../../archive/tar/tar.ts";
import type { BackupPart, BackupTarget, Copied } from "../../../domain/ports/backup.ts";
import { chunksOf, hashing } from "../../disk/chunks.ts";
import { readChunks } from "../../disk/read-file.ts";
import { syncPath } from "../../disk/sync.ts";
import { DESCRIPTION, partOf, SETTINGS, STORE } from "../../folder/layout.ts";
import { sealCopy } from "../../sqlite/snapshot.ts";
import { formatDescription } from "./description.ts";
import type { BackupFiles } from "./files.ts";
import { readableParts } from "./readable-parts.ts";
import { makeWorkFolder, removeAbandoned } from "./work-folder.ts";

/**
 * Returns a target that writes one file: a tar archive compressed with zstd, which `tar --zstd -xf` can open. The file
 * gets its name when it is complete, so that an earlier backup of that name stays until then. Of two at once the later
 * one stays.
 */
export function archiveTarget(file: string, { database, content, settings, origin }: BackupFiles): BackupTarget {
  // First of all, because they may fill the disk.
  removeAbandoned(dirname(file));
  const work = makeWorkFolder(dirname(file));
  const partial = join(work.path, "archive");
  const archive = openArchive(partial);
  return {
    takeSnapshot: () => database.takeSnapshot(join(work.path, STORE)),
    has: async () => false,
    copy: ({ digest, size }) => archive.addContent(content, digest, size),

    async complete(snapshot) {
      if (settings !== null) await archive.add(SETTINGS, settings);
      const description = formatDescription({ format: 1, ...origin, database_sha256: [await sealCopy(snapshot.file)] });
      await archive.add(DESCRIPTION, new TextEncoder().encode(description));
      await archive.addFile(STORE, snapshot.file);
      await archive.end();
      syncPath(partial);
      await rename(partial, file);
      syncPath(dirname(file));
      work.remove();
    },

    // Synchronous, because a process that ends does not wait.
    async abandon() {
      work.remove();
      await archive.abandon();
    },
  };
}

/** Opens a backup file, compressed or not, and returns its parts, which throw if it is invalid or truncated. */
export async function partsOfArchive(file: string): Promise<AsyncGenerator<BackupPart>> {
  // Root opens the file and reads it as the service's user. A descriptor of which nothing is read ends with the process;
  // a FileHandle would throw when it is collected.
  const descriptor = openSync(file, "r");
  return partsIn(descriptor, isZstd(descriptor));
}

// --- internal ---

async function* partsIn(descriptor: number, compressed: boolean): AsyncGenerator<BackupPart> {
  const bytes = createReadStream("", { fd: descriptor, start: 0 });
  const tar = compressed ? bytes.pipe(createZstdDecompress()) : bytes;
  bytes.on("error", (error) => tar.destroy(error));
  try {
    for await (const entry of readTar(tar)) {
      const part = partOf(entry.name);
      if (part) yield { ...part, size: entry.size, read: entry.read };
    }
  } finally {
    bytes.destroy();
  }
}

function openArchive(file: string) {
  const { readable, controller } = createTarPacker();
  const tar = Readable.fromWeb(readable as NodeReadableStream);
  const written = pipeline(tar, createZstdCompress(), createWriteStream(file, { mode: 0o600 }));
  // The failure is thrown where parts are added.
  written.catch((error: unknown) => controller.error(error));
  const mtime = new Date();

  async function addStream(name: string, size: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = controller.add({ name, size, mode: 0o600, mtime }).getWriter();
    for await (const chunk of chunks) await entry.write(chunk);
    await entry.close();
  }

  return {
    async add(name: string, content: Uint8Array) {
      await addStream(name, content.length, chunksOf([content]));
    },

    async addFile(name: string, path: string) {
      await addStream(name, (await stat(path)).size, readChunks(path));
    },

    /** Refuses content of another length before writing, because an entry starts with its size. */
    async addContent(content: BackupFiles["content"], digest: string, size: number): Promise<Copied> {
      const found = await content.stat(digest);
      if (found === null) return "missing";
      if (found.size !== size) return "damaged";
      const hasher = new Bun.CryptoHasher("sha256");
      const parts = padded(hashing(readableParts(content, digest), hasher), size);
      await addStream(`content/${digest.slice(0, 2)}/${digest}`, size, parts);
      return hasher.digest("hex") === digest ? "copied" : "damaged";
    },

    async end() {
      controller.finalize();
      await written;
    },

    async abandon() {
      controller.error(new Error("the archive is given up"));
      await written.catch(() => {});
    },
  };
}

/** Adds zeros up to the size of the entry, which was written before its content. */
async function* padded(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of chunks) {
    left -= chunk.length;
    yield chunk;
  }
  for (; left > 0; left -= PADDING.length) yield PADDING.subarray(0, left);
}

const PADDING = new Uint8Array(64 * 1024);

function isZstd(descriptor: number): boolean {
  const start = Buffer.alloc(4);
  readSync(descriptor, start, 0, start.length, 0);
  return start.readUInt32BE(0) === 0x28b52ffd;
}
