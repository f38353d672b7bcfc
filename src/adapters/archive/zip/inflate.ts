import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { ArchiveFile } from "./archive-file.ts";
import { type Entry, STORED } from "./entry.ts";
import { refusedEntry } from "./refusal.ts";

/** What big entries are read and inflated by. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Returns the content of a small entry, checked. `compressed` is reused for every entry's compressed bytes and must
 * be big enough; the content of a stored entry is a part of it.
 */
export function inflateWhole(file: ArchiveFile, entry: Entry, compressed: Buffer): Buffer {
  const data = compressed.subarray(0, entry.compressedSize);
  file.read(data, entry.dataAt);
  const content = entry.method === STORED ? data : inflate(entry, data);
  if (content.length !== entry.size) throw wrongSize(entry);
  if (crc32(content) !== entry.crc) throw wrongChecksum(entry);
  return content;
}

/** Passes the content of an entry of any size on in chunks, and throws once it differs from what was declared. */
export async function inflateInChunks(file: ArchiveFile, entry: Entry, accept: (chunk: Buffer) => void): Promise<void> {
  let size = 0;
  let checksum = 0;
  const check = (chunk: Buffer) => {
    size += chunk.length;
    if (size > entry.size) throw wrongSize(entry);
    checksum = crc32(chunk, checksum);
    accept(chunk);
  };
  if (entry.method === STORED) for (const chunk of compressedChunks(file, entry)) check(chunk);
  else await inflateStream(file, entry, check);
  if (size !== entry.size) throw wrongSize(entry);
  if (checksum !== entry.crc) throw wrongChecksum(entry);
}

// --- internal ---

function inflate(entry: Entry, data: Buffer): Buffer {
  // One byte of room more than declared: a longer content fails instead of being cut.
  const options = { maxOutputLength: Math.max(1, entry.size), chunkSize: Math.max(64, entry.size + 1), info: true };
  try {
    // With `info` both Node.js and Bun return the engine too, which knows how far it read; the types do not say so.
    const result = inflateRawSync(data, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (result.engine.bytesWritten !== data.length) throw wrongSize(entry);
    return result.buffer;
  } catch (error) {
    throw asRefusal(error, entry);
  }
}

/** `pipeline` ends every part with the first error of any: a stream error that nobody hears would end the process. */
async function inflateStream(file: ArchiveFile, entry: Entry, check: (chunk: Buffer) => void): Promise<void> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
  try {
    await pipeline(Readable.from(compressedChunks(file, entry), { highWaterMark: 1 }), inflater, async (chunks) => {
      for await (const chunk of chunks) check(chunk as Buffer);
    });
  } catch (error) {
    throw asRefusal(error, entry);
  }
  if (inflater.bytesWritten !== entry.compressedSize) throw wrongSize(entry);
}

function* compressedChunks(file: ArchiveFile, entry: Entry): Iterable<Buffer> {
  const end = entry.dataAt + entry.compressedSize;
  for (let at = entry.dataAt; at < end; at += CHUNK_BYTES) {
    // A buffer of its own each time: the inflater still reads the last one while the next is filled.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at));
    file.read(chunk, at);
    yield chunk;
  }
}

function asRefusal(error: unknown, entry: Entry): unknown {
  const code = (error as { code?: string }).code ?? "";
  if (code === "ERR_BUFFER_TOO_LARGE" || code === "Z_BUF_ERROR") return wrongSize(entry);
  return code.startsWith("Z_") ? refusedEntry(entry.name, "is damaged: upload the archive again") : error;
}

function wrongSize(entry: Entry) {
  return refusedEntry(entry.name, "has not the size that it declares: create the archive again");
}

function wrongChecksum(entry: Entry) {
  return refusedEntry(entry.name, "does not match its checksum (CRC-32): upload the archive again");
}
