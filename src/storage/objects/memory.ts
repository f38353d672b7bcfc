import type { ByteSpan } from "../../domain/ports/content.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { joined } from "../disk/chunks.ts";

/** The stored objects, by name. */
export type ObjectMemory = Map<string, Uint8Array>;

/** Returns objects that last as long as the process, for tests. They are read in parts of `partBytes`. */
export function memoryObjects(objects: ObjectMemory = new Map(), partBytes = 8 * 1024 * 1024): ObjectStore {
  return {
    place: "memory",
    width: 4,

    async *list(prefix) {
      for (const [name, { length: size }] of objects) if (name.startsWith(prefix)) yield { name, size };
    },

    async read(name, span = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
      const found = objects.get(name);
      return found ? parts(found, span, partBytes) : null;
    },

    async write(name, chunks) {
      objects.set(name, await joined(chunks));
    },

    async delete(name) {
      objects.delete(name);
    },

    async deleteWithLeftovers(name) {
      objects.delete(name);
    },

    async sync() {},
    async prepare() {},
  };
}

// --- internal ---

async function* parts(bytes: Uint8Array, { start, end }: ByteSpan, partBytes: number): AsyncGenerator<Uint8Array> {
  const wanted = bytes.subarray(start, end);
  for (let at = 0; at < wanted.length; at += partBytes) yield wanted.slice(at, at + partBytes);
}
