import type { Visitor } from "../domain/ports/connection.ts";
import type { ByteSpan } from "../domain/ports/content.ts";
import type { Cache } from "./cache.ts";
import type { HostingPorts } from "./ports.ts";
import type { Representation } from "./prepared-file.ts";
import { PART_BYTES, streamOfParts } from "./stream-of-parts.ts";

/** Content above this goes from disk to the socket without passing through JavaScript (sendfile). */
const MAX_CACHED_BYTES = 256 * 1024;

/** The memory of a cached blob besides its bytes, measured. */
const BLOB_BYTES = 900;

/** Responses share a blob. Each would copy an array. */
type Body = Blob | Uint8Array<ArrayBuffer>;

/** The source of the bytes of responses. */
export interface Bodies {
  /** Returns whether the representation is small enough to be read into memory. */
  isSmall(representation: Representation): boolean;
  /** Returns the content if it is cached. */
  cached(representation: Representation): Blob | undefined;
  /** Reads the content and caches it. Rejects when it cannot be read. */
  read(representation: Representation): Promise<Body>;
  /**
   * Returns a representation that is not small, to be sent without passing through JavaScript; null if it must be read
   * in parts.
   */
  open(representation: Representation): Promise<Blob | null>;
  /** Reads a range of the bytes, which is not cached. Rejects if it cannot be read. */
  part(representation: Representation, span: ByteSpan): Promise<Part>;
}

export type Part = Uint8Array<ArrayBuffer>;

/** Returns the bodies of a content store, cached by digest. `countHit` is called for each from the cache. */
export function makeBodies(
  content: HostingPorts["content"],
  cache: Cache<Blob>,
  countHit: HostingPorts["countHit"],
): Bodies {
  /** Running reads, so that a page that suddenly becomes popular is read once. */
  const reads = new Map<string, Promise<Body>>();

  const readFile = async ({ digest, size }: Representation): Promise<Body> => {
    try {
      const bytes = await content.read(digest);
      if (bytes.length !== size) throw new Error(`content ${digest} has ${bytes.length} bytes, not ${size}`);
      if (!cache.admits(digest, size + BLOB_BYTES)) return bytes;
      const blob = new Blob([bytes]);
      cache.set(digest, blob, size + BLOB_BYTES);
      return blob;
    } finally {
      reads.delete(digest);
    }
  };

  return {
    isSmall: ({ size }) => size <= MAX_CACHED_BYTES,
    open: ({ digest }) => content.open(digest),

    cached({ digest }) {
      const body = cache.get(digest);
      if (body !== undefined) countHit();
      return body;
    },

    read(representation) {
      const running = reads.get(representation.digest);
      if (running !== undefined) return running;
      const read = readFile(representation);
      reads.set(representation.digest, read);
      return read;
    },

    async part({ digest }, span) {
      const part = await content.read(digest, span);
      if (part.length === span.end - span.start) return part;
      throw new Error(`content ${digest} ends before byte ${span.end}`);
    },
  };
}

/** The possible bodies of a response. */
export type Content = Body | ReadableStream<Uint8Array>;

/**
 * Returns content in a form that a slow visitor may leave unread; null if slow visitors take too much memory already.
 * Rejects or throws if the content cannot be read.
 */
export type ContentFor = (
  visitor: Visitor,
  representation: Representation,
  span: ByteSpan,
) => Content | null | Promise<Content | null>;

/** The memory that a response takes besides its body until the client has read it, measured. */
const RESPONSE_BYTES = 48 * 1024;
/** The memory that Bun needs to send a file over TLS, measured; it also takes a descriptor. */
const FILE_BYTES = 256 * 1024;
/** The rest of the memory for responses is left to streams, because a file takes as much as five of them. */
const SHARE_OF_FILES = 0.75;

/**
 * Returns the function that chooses the form. An HTTP/1.1 client can leave one response unread on each connection, so
 * it gets whole files. An HTTP/2 client can leave 256 of them unread, for a few bytes each, so it gets content that
 * responses share, or content within the memory for responses, or else a stream that is read only as far as the client
 * reads. Bun sends no `Content-Length` with a stream.
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
      // All responses share it.
      const cached = bodies.cached(representation);
      if (cached !== undefined) return cut(cached, representation, span);
      return bodies
        .read(representation)
        .then((body) => (!visitor.isMultiplexed || canHold() ? cut(body, representation, span) : inParts()));
    }
    if (visitor.isMultiplexed) {
      return length <= MAX_CACHED_BYTES && canHold() ? bodies.part(representation, span) : inParts();
    }
    if (!visitor.holdMemory(RESPONSE_BYTES + FILE_BYTES, SHARE_OF_FILES)) return inParts();
    return bodies.open(representation).then((blob) => (blob === null ? inParts() : cut(blob, representation, span)));
  };
}

// --- internal ---

function cut(bytes: Body, { size }: Representation, { start, end }: ByteSpan): Body {
  return start === 0 && end === size ? bytes : bytes.slice(start, end);
}
