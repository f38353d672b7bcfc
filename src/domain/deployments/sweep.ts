import type { ContentStore } from "../ports/content.ts";
import type { Store } from "../ports/store.ts";

export interface SweepPorts {
  readonly store: Pick<Store, "contents">;
  readonly content: Pick<ContentStore, "delete" | "discardUnfinished" | "list">;
  /** Lets others work: it resolves when whatever else waits had its turn. */
  readonly pause: () => Promise<void>;
}

/** Which content a sweep may take; all in milliseconds since the epoch. */
interface SweepTimes {
  readonly now: number;
  /** Spares content with a row that was published a moment ago. */
  readonly publishedBefore: number;
  /** Spares content that was condemned a moment ago. */
  readonly condemnedBefore: number;
  /** Spares content that was written a moment ago: an upload may rely on it. */
  readonly writtenBefore: number;
}

/** What one sweep did. */
interface Swept {
  /** Contents that no deployment refers to any more, and that the next sweeps delete. */
  readonly condemned: number;
  /** Contents that were deleted after their grace. */
  readonly deleted: number;
  /** Contents that no deployment ever published: of refused uploads and of crashes. */
  readonly strays: number;
}

/** Contents in one transaction: every upload waits for it, so it takes milliseconds. */
const BATCH = 200;

/** Strays are looked for in strides of so many files. */
const STRIDE = 500;

/**
 * Removes content that nothing refers to. It is condemned in the store first: from then on no deployment can refer to it
 * unless it is written anew. After a grace its file is deleted, and its row last: a crash at any step leaves content
 * that is relied on, or a leftover for the next sweep.
 */
export async function sweepContent(ports: SweepPorts, times: SweepTimes): Promise<Swept> {
  const condemned = await condemn(ports, times);
  const deleted = await deleteCondemned(ports, times);
  const strays = await deleteStrays(ports, times.writtenBefore);
  await ports.content.discardUnfinished(times.writtenBefore);
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
    // Content that is being written again stays, and its row is kept by the publication that follows.
    const deleted: string[] = [];
    for (const digest of digests) if (await content.delete(digest, writtenBefore)) deleted.push(digest);
    if (deleted.length > 0) await store.contents.forgetCondemned(deleted);
    total += deleted.length;
    await pause();
  }
}

async function deleteStrays({ store, content, pause }: SweepPorts, writtenBefore: number): Promise<number> {
  let strays = 0;
  for await (const digests of inStrides(content)) {
    const old = digests.filter(({ modifiedAt }) => modifiedAt < writtenBefore).map(({ digest }) => digest);
    const rows = await store.contents.find(old);
    for (const digest of old) if (!rows.has(digest) && (await content.delete(digest, writtenBefore))) strays++;
    await pause();
  }
  return strays;
}

async function* inStrides({ list }: Pick<ContentStore, "list">) {
  let stride: { digest: string; modifiedAt: number }[] = [];
  for await (const found of list()) {
    stride.push(found);
    if (stride.length < STRIDE) continue;
    yield stride;
    stride = [];
  }
  if (stride.length > 0) yield stride;
}
