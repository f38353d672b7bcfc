import type { ContentStore, Encoding } from "../../../domain/ports/content.ts";
import { requireDigest } from "../require-digest.ts";

/** One content, or an encoding of it. Whoever writes it anew makes a new object, so that it tells who relies on it. */
interface Stored {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modifiedAt: number;
}

/** What is kept, by digest and encoding; every thread of a test opens the same one. */
export type ContentMemory = Map<string, Map<Encoding, Stored>>;

/** Opens a content store that lasts as long as the process. */
export function openMemoryContent(memory: ContentMemory = new Map()): ContentStore {
  const created: [digest: string, stored: Stored][] = [];

  const find = (digest: string, encoding: Encoding = "identity"): Stored | undefined => {
    requireDigest(digest);
    return memory.get(digest)?.get(encoding);
  };

  const get = (digest: string, encoding?: Encoding): Uint8Array<ArrayBuffer> => {
    const stored = find(digest, encoding);
    if (!stored) throw new Error(`there is no content ${digest} (${encoding ?? "identity"})`);
    return stored.bytes;
  };

  const put = (digest: string, bytes: Uint8Array, encoding: Encoding = "identity") => {
    const isNew = find(digest, encoding) === undefined;
    const stored = { bytes: Uint8Array.from(bytes), modifiedAt: Date.now() };
    if (!memory.has(digest)) memory.set(digest, new Map());
    memory.get(digest)?.set(encoding, stored);
    if (isNew && encoding === "identity") created.push([digest, stored]);
  };

  return {
    read: async (digest, encoding, span) => get(digest, encoding).slice(span?.start, span?.end),
    open: async (digest, encoding) => new Blob([get(digest, encoding)]),

    async stat(digest) {
      const stored = find(digest);
      return stored ? { size: stored.bytes.length, modifiedAt: stored.modifiedAt } : null;
    },

    async hash(digest) {
      const bytes = find(digest)?.bytes;
      return bytes ? { digest: Bun.CryptoHasher.hash("sha256", bytes, "hex"), size: bytes.length } : null;
    },

    put: async (digest, bytes, encoding) => put(digest, bytes, encoding),

    async stage() {
      const chunks: Uint8Array[] = [];
      return {
        async write(chunk) {
          chunks.push(chunk.slice());
        },
        commit: async (digest) => put(digest, Buffer.concat(chunks)),
        async abort() {},
      };
    },

    async undo() {
      for (const [digest, stored] of created.splice(0)) {
        if (find(digest) === stored) memory.get(digest)?.delete("identity");
      }
    },

    async sync() {},

    async delete(digest, writtenBefore) {
      const stored = find(digest);
      if (stored && stored.modifiedAt >= writtenBefore) return false;
      memory.delete(digest);
      return true;
    },

    async discardUnfinished() {},

    async *list() {
      for (const [digest, encodings] of memory) {
        const [stored] = encodings.has("identity") ? [encodings.get("identity")] : encodings.values();
        if (stored) yield { digest, size: stored.bytes.length, modifiedAt: stored.modifiedAt };
      }
    },
  };
}
