import { eq } from "drizzle-orm";
import { DomainError } from "../../domain/errors.ts";
import type { Connection } from "./connection.ts";
import { APPLIED_CHANNEL, type NodeStore } from "./nodes.ts";
import { first } from "./rows.ts";
import { changes } from "./schema.ts";

/** Waits until no node serves visits without a change. */
export interface Barrier {
  /**
   * Returns once every node that may be serving has applied a change, which is named by its row in the log. Throws
   * `unavailable` where that cannot be told: the change was made all the same.
   */
  pass(rowId: number): Promise<void>;
  close(): void;
}

/** Between two looks at the nodes where no notification comes: one may be lost, and the lease of a silent node ends. */
const LOOK_INTERVAL_MS = 100;

/** A node that is silent counts for four seconds. Longer waits only somebody who cannot ask. */
const PATIENCE_MS = 10_000;

/** Somebody who waits for the nodes to have applied the log up to a place. */
interface Waiter {
  readonly seq: number;
  readonly passed: () => void;
}

/** All who wait in a thread share the looks: however many there are, one is under way, and one more after it. */
export function newBarrier(
  { read, listen }: Connection,
  { slowest }: Pick<NodeStore, "slowest">,
  patience = PATIENCE_MS,
): Barrier {
  const waiters = new Set<Waiter>();
  let isLooking = false;
  let lookAgain = false;
  const look = async (): Promise<void> => {
    lookAgain = isLooking;
    if (isLooking || waiters.size === 0) return;
    isLooking = true;
    // Whoever comes meanwhile is not meant: a node may have joined before their change and after this look.
    const meant = [...waiters];
    const place = await slowest().catch(() => 0);
    for (const waiter of meant) if (place === null || place >= waiter.seq) waiter.passed();
    isLooking = false;
    if (lookAgain) await look();
  };
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  timer.unref();
  const stopListening = listen(APPLIED_CHANNEL, () => void look());

  return {
    async pass(rowId) {
      const row = await read((db) =>
        first(db.select({ seq: changes.seq }).from(changes).where(eq(changes.rowId, rowId))),
      ).catch((error) => {
        throw notKnownEverywhere(error);
      });
      // A change that is not in the log any more was applied by everybody long ago.
      if (row === null) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter = { seq: row.seq as number, passed: resolve };
      const timer = setTimeout(() => reject(notKnownEverywhere(undefined)), patience);
      waiters.add(waiter);
      void look();
      try {
        await promise;
      } finally {
        waiters.delete(waiter);
        clearTimeout(timer);
      }
    },

    close() {
      clearInterval(timer);
      stopListening();
    },
  };
}

// --- internal ---

function notKnownEverywhere(cause: unknown): DomainError {
  return new DomainError("unavailable", "the change was made, but some visitors may still get what was before", {
    retryAfter: 5,
    ...(cause === undefined ? {} : { cause }),
  });
}
