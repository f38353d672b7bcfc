import type { ByteSpan } from "../../domain/ports/content.ts";

/** Yields pieces of bytes as a stream. */
export async function* chunksOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Returns all of a stream. */
export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

/** Yields a stream unchanged, and adds it to the hash. */
export async function* hashing(
  chunks: AsyncIterable<Uint8Array>,
  hasher: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hasher.update(chunk);
    yield chunk;
  }
}

/** Returns the part of `bytes`, which are at the offset `at`, that is within the range. */
export function cut(bytes: Uint8Array, at: number, { start, end }: ByteSpan): Uint8Array {
  return bytes.subarray(Math.max(0, start - at), Math.max(0, end - at));
}
