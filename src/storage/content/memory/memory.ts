import type { ContentStore, StagedContent } from "../../../domain/ports/content.ts";
import { requireDigest } from "../require-digest.ts";

/** A stored content. Each write creates a new object, whose identity shows who uses it. */
interface Stored {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modifiedAt: number;
}

/** The stored content by digest. All instances of a test share it. */
export type ContentMemory = Map<string, Stored>;

/** Opens a content store in memory. */
export function openMemoryContent(memory: ContentMemory = new Map()): ContentStore {
  const created: [digest: string, stored: Stored][] = [];

  const find = (digest: string): Stored | undefined => {
    requireDigest(digest);
    return memory.get(digest);
  };

  const get = (digest: string): Uint8Array<ArrayBuffer> => {
    const stored = find(digest);
    if (!stored) throw new Error(`there is no content ${digest}`);
    return stored.bytes;
  };

  const put = (digest: string, bytes: Uint8Array) => {
    const isNew = find(digest) === undefined;
    const stored = { bytes: Uint8Array.from(bytes), modifiedAt: Date.now() };
    memory.set(digest, stored);
    if (isNew) created.push([digest, stored]);
  };

  return {
    read: async (digest, span) => get(digest).slice(span?.start, span?.end),
    open: async (digest) => new Blob([get(digest)]),

    async stat(digest) {
      const stored = find(digest);
      return stored ? { size: stored.bytes.length, modifiedAt: stored.modifiedAt } : null;
    },

    hash: async (digest) => hashOf(find(digest)),

    put: async (digest, bytes) => put(digest, bytes),

    stage: async () => stage(put),

    async undo() {
      for (const [digest, stored] of created.splice(0)) {
        if (find(digest) === stored) memory.delete(digest);
      }
    },

    async sync() {},

    async delete(digest, writtenBefore) {
      const stored = find(digest);
      if (stored && stored.modifiedAt >= writtenBefore) return false;
      memory.delete(digest);
      return true;
    },

    async deleteUnfinished() {},

    async *list() {
      for (const [digest, { bytes, modifiedAt }] of memory) yield { digest, size: bytes.length, modifiedAt };
    },
  };
}

// --- internal ---

function hashOf(stored: Stored | undefined) {
  if (!stored) return null;
  return { digest: Bun.CryptoHasher.hash("sha256", stored.bytes, "hex"), size: stored.bytes.length };
}

function stage(put: (digest: string, bytes: Uint8Array) => void): StagedContent {
  const chunks: Uint8Array[] = [];
  return {
    async write(chunk) {
      chunks.push(chunk.slice());
    },
    commit: async (digest) => put(digest, Buffer.concat(chunks)),
    async abort() {},
  };
}
