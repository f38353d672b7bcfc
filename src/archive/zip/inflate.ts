import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from "node:zlib";
import { errorCode } from "../../domain/error-message.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { type Entry, STORED } from "./entry.ts";
import { refusedEntry } from "./refusal.ts";

/** Large entries are read and inflated in chunks of this size. */
const CHUNK_BYTES = 256 * 1024;

/** Returns the validated content of a small entry. Throws `invalid` if it is not as declared. */
export function readEntry(file: ArchiveFile, entry: Entry): Buffer {
  const data = Buffer.allocUnsafe(entry.compressedSize);
  file.read(data, entry.dataAt);
  const content = entry.method === STORED ? data : inflate(entry, data);
  if (content.length !== entry.size) throw wrongSize(entry);
  if (crc32(content) !== entry.crc) throw wrongChecksum(entry);
  return content;
}

/** Streams the content of an entry of any size in chunks. Throws `invalid` if it is not as declared. */
export async function inflateInChunks(
  file: ArchiveFile,
  entry: Entry,
  accept: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  let size = 0;
  let checksum = 0;
  const check = async (chunk: Buffer) => {
    size += chunk.length;
    if (size > entry.size) throw wrongSize(entry);
    checksum = crc32(chunk, checksum);
    await accept(chunk);
  };
  if (entry.method === STORED) for (const chunk of compressedChunks(file, entry)) await check(chunk);
  else await inflateStream(file, entry, check);
  if (size !== entry.size) throw wrongSize(entry);
  if (checksum !== entry.crc) throw wrongChecksum(entry);
}

// --- internal ---

function inflate(entry: Entry, data: Buffer): Buffer {
  try {
    // One byte more than declared, to detect longer content; `info` has the number of bytes read.
    const options = { maxOutputLength: entry.size + 1, info: true };
    const { buffer, engine } = inflateRawSync(data, options) as unknown as { buffer: Buffer; engine: InflateRaw };
    if (engine.bytesWritten !== data.length) throw wrongSize(entry);
    return buffer;
  } catch (error) {
    throw asRefusal(error, entry);
  }
}

/** `pipeline` propagates the first error to all streams: an unhandled stream error would end the process. */
async function inflateStream(file: ArchiveFile, entry: Entry, check: (chunk: Buffer) => Promise<void>): Promise<void> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
  try {
    await pipeline(Readable.from(compressedChunks(file, entry), { highWaterMark: 1 }), inflater, async (chunks) => {
      for await (const chunk of chunks) await check(chunk as Buffer);
    });
  } catch (error) {
    throw asRefusal(error, entry);
  }
  if (inflater.bytesWritten !== entry.compressedSize) throw wrongSize(entry);
}

function* compressedChunks(file: ArchiveFile, entry: Entry): Iterable<Buffer> {
  const end = entry.dataAt + entry.compressedSize;
  for (let at = entry.dataAt; at < end; at += CHUNK_BYTES) {
    // A new buffer each time, because the inflater still reads the previous one.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at));
    file.read(chunk, at);
    yield chunk;
  }
}

function asRefusal(error: unknown, entry: Entry): unknown {
  const code = errorCode(error);
  if (code === "ERR_BUFFER_TOO_LARGE" || code === "Z_BUF_ERROR") return wrongSize(entry);
  return code.startsWith("Z_") ? refusedEntry(entry.name, "is damaged: upload the archive again") : error;
}

function wrongSize(entry: Entry) {
  return refusedEntry(entry.name, "does not have its declared size: create the archive again");
}

function wrongChecksum(entry: Entry) {
  return refusedEntry(entry.name, "does not match its checksum (CRC-32): upload the archive again");
}
