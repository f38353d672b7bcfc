import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createInflateRaw } from "node:zlib";
import { errorCode } from "../../domain/error-message.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { type Entry, STORED } from "./entry.ts";
import { refusedEntry } from "./refusal.ts";

/** What big entries are read and inflated by. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Inflates small entries one after the other with one engine and one buffer. An engine and a buffer for each of thousands
 * are 29 kB of garbage a file, and cost a third more time before anything is collected (measured with files of 12 kB).
 */
export class SmallEntries {
  readonly #compressed: Buffer;
  readonly #content: Buffer;
  readonly #inflater = openInflater();

  /** `maxBytes` is the most that an entry may have, compressed or not. */
  constructor(maxBytes: number) {
    this.#compressed = Buffer.allocUnsafeSlow(maxBytes);
    // One byte of room more than declared: a longer content is seen instead of being cut.
    this.#content = Buffer.allocUnsafeSlow(maxBytes + 1);
  }

  /** Returns the content of an entry, checked and valid until the next call. Throws `invalid` where it is not as declared. */
  read(file: ArchiveFile, entry: Entry): Buffer {
    const data = this.#compressed.subarray(0, entry.compressedSize);
    file.read(data, entry.dataAt);
    const content = entry.method === STORED ? data : this.#inflate(entry, data);
    if (content.length !== entry.size) throw wrongSize(entry);
    if (crc32(content) !== entry.crc) throw wrongChecksum(entry);
    return content;
  }

  #inflate(entry: Entry, data: Buffer): Buffer {
    const { written, unread, error } = this.#inflater(data, this.#content, entry.size + 1);
    if (error !== null) throw asRefusal(error, entry);
    if (unread > 0) throw wrongSize(entry);
    return this.#content.subarray(0, written);
  }
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

/** What of Node.js' engine does the work, in Bun too: the part that `inflateRawSync` uses and no documentation names. */
interface Engine {
  readonly _handle: {
    onerror: (message: string, errno: number, code: string) => void;
    reset(): void;
    writeSync(flush: number, from: Buffer, at: number, bytes: number, to: Buffer, toAt: number, room: number): void;
  };
  /** How much room is left, and how much is unread. */
  readonly _writeState: Uint32Array;
}

/** Returns a function that inflates into the room given, whatever went wrong the time before. */
function openInflater() {
  const { _handle: handle, _writeState: state } = createInflateRaw() as unknown as Engine;
  let error: { code: string } | null = null;
  handle.onerror = (_message, _errno, code) => {
    error = { code };
  };
  return (data: Buffer, into: Buffer, room: number) => {
    error = null;
    handle.reset();
    handle.writeSync(constants.Z_FINISH, data, 0, data.length, into, 0, room);
    return { written: room - state[0]!, unread: state[1]!, error: error as { code: string } | null };
  };
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
  const code = errorCode(error);
  if (code === "ERR_BUFFER_TOO_LARGE" || code === "Z_BUF_ERROR") return wrongSize(entry);
  return code.startsWith("Z_") ? refusedEntry(entry.name, "is damaged: upload the archive again") : error;
}

function wrongSize(entry: Entry) {
  return refusedEntry(entry.name, "has not the size that it declares: create the archive again");
}

function wrongChecksum(entry: Entry) {
  return refusedEntry(entry.name, "does not match its checksum (CRC-32): upload the archive again");
}
