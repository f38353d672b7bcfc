import type { ContentStore, StagedContent } from "../../domain/ports/content.ts";

/** Content up to this size is held in memory, because a single write is cheaper than staging. */
const WHOLE = 1024 * 1024;

/**
 * Stores content of any size under its expected digest. Returns false and stores nothing if the digest differs. Durable
 * after `sync`.
 */
export async function storeContent(
  content: Pick<ContentStore, "put" | "stage">,
  digest: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const hasher = new Bun.CryptoHasher("sha256");
  const held: Uint8Array[] = [];
  let size = 0;
  let staged: StagedContent | null = null;
  try {
    for await (const chunk of chunks) {
      hasher.update(chunk);
      size += chunk.length;
      if (staged) await staged.write(chunk);
      else held.push(chunk);
      if (staged || size <= WHOLE) continue;
      staged = await content.stage();
      for (const earlier of held.splice(0)) await staged.write(earlier);
    }
    if (hasher.digest("hex") !== digest) return false;
    if (staged) await staged.commit(digest);
    else await content.put(digest, Buffer.concat(held));
    return true;
  } finally {
    await staged?.abort();
  }
}
