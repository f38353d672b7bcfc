import type { ContentStore } from "../ports/content.ts";
import type { Store } from "../ports/store.ts";

export interface PurgePorts {
  readonly store: Pick<Store, "contents">;
  readonly content: Pick<ContentStore, "purge">;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

/** Contents per transaction. */
const BATCH = 200;

/**
 * Deletes the condemned content of deleted deployments without the grace period of the sweep. `ahead` is how far the
 * clock of content is ahead of the clock of the requests. Returns the number of deleted contents. Content that an upload
 * has written since the request stays: see `Publication.startedAt`.
 */
export async function purgeContent({ store, content, pause }: PurgePorts, now: number, ahead: number): Promise<number> {
  for (let total = 0; ; ) {
    const requests = await store.contents.listPurges(BATCH);
    if (requests.length === 0) return total;
    const unused = requests.filter(({ isUsed }) => !isUsed);
    const deleted = await content.purge(
      unused.map(({ digest, requestedAt }) => ({ digest, writtenBefore: requestedAt + ahead })),
    );
    await store.contents.deleteCondemned(deleted);
    await store.contents.endPurges(requests, now);
    total += deleted.length;
    await pause();
  }
}
