import type { Blobs } from "../ports/blobs.ts";
import type { Store } from "../ports/store.ts";

export interface SweepPorts {
  readonly store: Pick<Store, "contents">;
  readonly blobs: Pick<
    Blobs,
    "discard" | "discardStray" | "discardUnfinished" | "discarded" | "list" | "purge" | "restoreMissing"
  >;
  /** Lets others work: it resolves when whatever else waits had its turn. */
  readonly pause: () => Promise<void>;
}

/** What one sweep removed. */
export interface Swept {
  /** Contents that no deployment refers to any more. */
  readonly unreferenced: number;
  /** Contents that no deployment ever published: of refused uploads and of crashes. */
  readonly strays: number;
}

/** Contents looked at, and forgotten in one transaction, at a time: every upload waits for it, so it takes milliseconds. */
const BATCH = 200;

/** Strays are looked for in strides of so many files. */
const STRIDE = 500;

/**
 * Ends a sweep that a crash or a failing disk interrupted: content that was set aside and that the store still relies
 * on goes back to its place, everything else that was set aside is removed. One look at an empty folder, mostly.
 */
export function finishSweep({ store, blobs }: Pick<SweepPorts, "store" | "blobs">): void {
  for (const digest of blobs.discarded()) {
    if (store.contents.knows(digest)) blobs.restoreMissing(digest);
  }
  blobs.purge();
}

/**
 * Removes content that nothing refers to. `publishedBefore` spares content with a row that was published a moment ago,
 * `writtenBefore` content without one that an upload may be writing now. The store forgets content in the transaction
 * in which it is set aside, and it is removed only when that transaction is durable: a crash at any step leaves either
 * content that is relied on, or a leftover for the next sweep.
 */
export async function sweepContent(
  ports: SweepPorts,
  { publishedBefore, writtenBefore }: { readonly publishedBefore: number; readonly writtenBefore: number },
): Promise<Swept> {
  finishSweep(ports);
  const unreferenced = await sweepUnreferenced(ports, publishedBefore);
  const strays = await sweepStrays(ports, writtenBefore);
  ports.blobs.discardUnfinished(writtenBefore);
  return { unreferenced, strays };
}

async function sweepUnreferenced(ports: SweepPorts, before: number): Promise<number> {
  const { contents } = ports.store;
  let total = 0;
  for await (const digests of contents.listUnreferenced(before, BATCH)) {
    if (digests.length > 0) {
      const forgetting = contents.forgetUnreferenced(digests, before, (digest) => ports.blobs.discard(digest));
      // Also when it failed: what the store still knows must be back before a deployment relies on it.
      const forgotten = await forgetting.finally(() => finishSweep(ports));
      total += forgotten.length;
    }
    await ports.pause();
  }
  return total;
}

async function sweepStrays({ store, blobs, pause }: SweepPorts, before: number): Promise<number> {
  let seen = 0;
  let strays = 0;
  for await (const { digest, modifiedAt } of blobs.list()) {
    if (++seen % STRIDE === 0) await pause();
    if (modifiedAt >= before || store.contents.knows(digest)) continue;
    if (blobs.discardStray(digest, before)) strays++;
  }
  blobs.purge();
  return strays;
}
