import { inBatches } from "../in-batches.ts";
import type { ContentStore } from "../ports/content.ts";
import type { Store } from "../ports/store.ts";

export interface SweepPorts {
  readonly store: Pick<Store, "contents">;
  readonly content: Pick<ContentStore, "delete" | "deleteUnfinished" | "list">;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

/** The times that limit what a sweep may delete, in milliseconds since the epoch. */
interface SweepTimes {
  readonly now: number;
  /** Keeps recently published content. */
  readonly publishedBefore: number;
  /** Keeps recently condemned content. */
  readonly condemnedBefore: number;
  /** Keeps recently written content, which a running upload may need. */
  readonly writtenBefore: number;
}

/** The numbers of one sweep. */
interface Swept {
  /** Contents that no deployment refers to any more. Later sweeps delete them. */
  readonly condemned: number;
  /** Contents deleted after their grace period. */
  readonly deleted: number;
  /** Contents that were never published, of refused uploads and of crashes, and encodings of deleted content. */
  readonly strays: number;
}

/** Contents per transaction. Uploads wait for it, so it must take milliseconds only. */
const BATCH = 200;

/** Files per batch in the search for unpublished content. */
const STRIDE = 500;

/**
 * Deletes unreferenced content. It is condemned in the store first: from then on no deployment can refer to it
 * unless it is written again. After a grace period its file is deleted, then its row: a crash at any step leaves content
 * that is still referenced intact, and leftovers for the next sweep.
 */
export async function sweepContent(ports: SweepPorts, times: SweepTimes): Promise<Swept> {
  const condemned = await condemn(ports, times);
  const deleted = await deleteCondemned(ports, times);
  const strays = await deleteStrays(ports, times.writtenBefore);
  await ports.content.deleteUnfinished(times.writtenBefore);
  return { condemned, deleted, strays };
}

// --- internal ---

async function condemn({ store, pause }: SweepPorts, { publishedBefore, now }: SweepTimes): Promise<number> {
  let total = 0;
  for await (const condemned of store.contents.condemnUnreferenced(publishedBefore, now, BATCH)) {
    total += condemned;
    await pause();
  }
  return total;
}

async function deleteCondemned({ store, content, pause }: SweepPorts, times: SweepTimes): Promise<number> {
  const { condemnedBefore, writtenBefore } = times;
  let total = 0;
  for (let after = ""; ; ) {
    const digests = await store.contents.listCondemned(condemnedBefore, after, BATCH);
    if (digests.length === 0) return total;
    after = digests.at(-1) as string;
    // Content that is being written again stays; the publication that follows keeps its row.
    const deleted: string[] = [];
    for (const digest of digests) if (await content.delete(digest, writtenBefore)) deleted.push(digest);
    if (deleted.length > 0) await store.contents.deleteCondemned(deleted);
    total += deleted.length;
    await pause();
  }
}

async function deleteStrays({ store, content, pause }: SweepPorts, writtenBefore: number): Promise<number> {
  let strays = 0;
  for await (const found of inBatches(content.list(), STRIDE)) {
    const old = found.filter(({ modifiedAt }) => modifiedAt < writtenBefore).map(({ digest }) => digest);
    for (const digest of await store.contents.unknown(old)) {
      if (await content.delete(digest, writtenBefore)) strays++;
    }
    await pause();
  }
  return strays;
}
