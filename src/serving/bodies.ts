import type { ContentStore } from "../domain/ports/content.ts";
import type { Representation } from "./answer.ts";
import { TinyLfu } from "./tiny-lfu.ts";

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
  /**
   * Returns the bytes, at once where they are in memory. Rejects when the content cannot be read. An array is valid
   * until the next call.
   */
  read(representation: Representation): Body | Promise<Body>;
  /** Whether the representation is of the size that is read into memory. */
  isSmall(representation: Representation): boolean;
  /** The file of a representation that is not. */
  file(representation: Representation): Bun.BunFile;
  /** Returns the bytes from `start` to before `end`, read from the file. Rejects or throws when they cannot be read. */
  part(representation: Representation, start: number, end: number): Part | Promise<Part>;
}

export type Part = Uint8Array<ArrayBuffer>;

/** Returns the source of bodies, which keeps up to `memory` bytes of what is asked for most, by digest and encoding. */
export function makeBodies(
  content: Pick<ContentStore, "path" | "read" | "readNow" | "readPart">,
  memory: number,
): Bodies {
  const cache = new TinyLfu<Body>(memory, { missCost });
  /** Reads under way: a page that becomes popular at once is read once. */
  const reads = new Map<string, Promise<Body>>();

  const keep = ({ key, size }: Representation, bytes: Uint8Array<ArrayBuffer>): Body => {
    const kept =
      size <= MAX_COPIED_BYTES
        ? cache.keep(key, size + OVERHEAD, () => bytes.slice())
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
    file: ({ digest, encoding }) => Bun.file(content.path(digest, encoding)),

    part({ digest, encoding }, start, end) {
      const whole = (part: Part) => {
        if (part.length === end - start) return part;
        throw new Error(`content ${digest} (${encoding}) ends before byte ${end}`);
      };
      const part = content.readPart(digest, encoding, start, end - start);
      return part instanceof Promise ? part.then(whole) : whole(part);
    },

    read(representation) {
      const { key } = representation;
      const cached = cache.get(key) ?? reads.get(key);
      if (cached !== undefined) return cached;
      const bytes = content.readNow(representation.digest, representation.encoding, representation.size);
      if (bytes !== null) return keep(representation, bytes);
      const read = readFile(representation);
      reads.set(key, read);
      return read;
    },
  };
}
