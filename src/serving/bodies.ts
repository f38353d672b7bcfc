import type { Visitor } from "../domain/ports/connection.ts";
import type { ByteSpan, ContentStore } from "../domain/ports/content.ts";
import type { Representation } from "./prepared-file.ts";
import { PART_BYTES, streamOfParts } from "./stream-of-parts.ts";
import { TinyLfu } from "./tiny-lfu.ts";
import { whenReady } from "./when-ready.ts";

/** Content above this goes from disk to the socket without passing through JavaScript (sendfile). */
export const MAX_CACHED_BYTES = 256 * 1024;

/**
 * Up to here every answer has a copy of its own. Larger content is a blob, whose memory answers share, but which takes
 * several objects: under Zipf's law over files of 4 kB those cost more than the copies.
 */
const MAX_COPIED_BYTES = 8 * 1024;

/** What a cached body costs besides its bytes, measured. */
const OVERHEAD = 250;
const BLOB_OVERHEAD = 900;

/** Measured: to read 4 kB takes 6 µs, 64 kB 13, and 256 kB 41. */
const missCost = (weight: number) => 1 + weight / (40 * 1024);

/** Of an array every response makes a copy, at once. */
export type Body = Blob | Uint8Array<ArrayBuffer>;

/** Where the bytes of answers come from. */
export interface Bodies {
  /** Returns the bytes, at once where they are kept. Rejects when the content cannot be read. */
  read(representation: Representation): Body | Promise<Body>;
  /** Whether the representation is of the size that is read into memory. */
  isSmall(representation: Representation): boolean;
  /** Returns one that is not, to be sent without passing through JavaScript. */
  open(representation: Representation): Promise<Blob>;
  /** Returns the bytes of a span, which are not kept. Rejects when they cannot be read. */
  part(representation: Representation, span: ByteSpan): Promise<Part>;
}

export type Part = Uint8Array<ArrayBuffer>;

/** Returns the source of bodies, which keeps up to `memory` bytes of what is asked for most, by digest and encoding. */
export function makeBodies(content: Pick<ContentStore, "read" | "open">, memory: number): Bodies {
  const cache = new TinyLfu<Body>(memory, { missCost });
  /** Reads under way: a page that becomes popular at once is read once. */
  const reads = new Map<string, Promise<Body>>();

  const keep = ({ key, size }: Representation, bytes: Uint8Array<ArrayBuffer>): Body => {
    const kept =
      size <= MAX_COPIED_BYTES
        ? cache.keep(key, size + OVERHEAD, () => bytes)
        : cache.keep(key, size + BLOB_OVERHEAD, () => new Blob([bytes]));
    return kept ?? bytes;
  };

  const readFile = async (representation: Representation): Promise<Body> => {
    const { key, digest, encoding, size } = representation;
    try {
      const bytes = await content.read(digest, encoding);
      if (bytes.length !== size)
        throw new Error(`content ${digest} (${encoding}) has ${bytes.length} bytes, not ${size}`);
      return keep(representation, bytes);
    } finally {
      reads.delete(key);
    }
  };

  return {
    isSmall: ({ size }) => size <= MAX_CACHED_BYTES,
    open: ({ digest, encoding }) => content.open(digest, encoding),

    async part({ digest, encoding }, span) {
      const part = await content.read(digest, encoding, span);
      if (part.length === span.end - span.start) return part;
      throw new Error(`content ${digest} (${encoding}) ends before byte ${span.end}`);
    },

    read(representation) {
      const { key } = representation;
      const cached = cache.get(key) ?? reads.get(key);
      if (cached !== undefined) return cached;
      const read = readFile(representation);
      reads.set(key, read);
      return read;
    },
  };
}

/** What the body of a response can be. */
export type Content = Body | ReadableStream<Uint8Array>;

/**
 * Returns content in a form that the visitor may hold up: null where slow visitors hold too much memory already. Rejects
 * or throws when the content cannot be read.
 */
export type ContentFor = (
  visitor: Visitor,
  representation: Representation,
  span: ByteSpan,
) => Content | null | Promise<Content | null>;

/** The memory that a response takes besides its body until the client has read it, measured. */
const RESPONSE_BYTES = 48 * 1024;
/** The memory that Bun takes for a file that it sends over TLS, measured; it also takes a descriptor. */
const FILE_BYTES = 256 * 1024;
/** The rest of the memory for responses is left to streams: a file takes as much as five of them. */
const SHARE_OF_FILES = 0.75;

/**
 * Returns the choice. A client of HTTP/1.1 can leave one response unread on each connection: it gets whole files. One of
 * HTTP/2 can leave 256 of them unread, for a few bytes each: it gets content that responses share, or that fits into the
 * memory for responses, or else a stream that is read only as far as the client reads. Bun sends no `Content-Length` with
 * a stream.
 */
export function makeContentFor(bodies: Bodies, report: (error: unknown) => void): ContentFor {
  return (visitor, representation, span) => {
    const length = span.end - span.start;
    const inParts = (): Promise<Content> | null => {
      if (!visitor.holdMemory(RESPONSE_BYTES + PART_BYTES)) return null;
      return streamOfParts((part) => bodies.part(representation, part), span, report);
    };
    const canHold = () => length <= PART_BYTES || visitor.holdMemory(RESPONSE_BYTES + length);

    if (bodies.isSmall(representation)) {
      return whenReady(bodies.read(representation), (body): Content | null | Promise<Content | null> => {
        const isShared = body instanceof Blob || !visitor.isMultiplexed;
        return isShared || canHold() ? cut(body, representation, span) : inParts();
      });
    }
    if (visitor.isMultiplexed) {
      return length <= MAX_CACHED_BYTES && canHold() ? bodies.part(representation, span) : inParts();
    }
    if (!visitor.holdMemory(RESPONSE_BYTES + FILE_BYTES, SHARE_OF_FILES)) return inParts();
    return bodies.open(representation).then((blob) => cut(blob, representation, span));
  };
}

// --- internal ---

function cut(bytes: Body, { size }: Representation, { start, end }: ByteSpan): Body {
  return start === 0 && end === size ? bytes : bytes.slice(start, end);
}
