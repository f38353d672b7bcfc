import { eq } from "drizzle-orm";
import { DomainError } from "../../domain/errors.ts";
import { first } from "../store/rows.ts";
import { changes } from "../store/schema.ts";
import type { PostgresConnection } from "./connection.ts";
import { APPLIED_CHANNEL, type NodeStore, SILENCE_MS } from "./nodes.ts";

/** Waits until all nodes serve a change to visitors. */
export interface Barrier {
  /**
   * Returns once every node that may be serving has applied a change, which is identified by its row in the log. Throws
   * `unavailable` if that cannot be determined: the change was made nevertheless.
   */
  pass(rowId: number): Promise<void>;
  close(): void;
}

/**
 * Interval between two queries of the nodes without a notification: a notification may be lost, and the lease of a
 * silent node ends.
 */
const LOOK_INTERVAL_MS = 100;

/** A silent node counts for four seconds. Only a caller that cannot query the nodes waits longer. */
const PATIENCE_MS = 10_000;

interface BarrierOptions {
  /** Milliseconds after which a caller is told that it is unknown whether all nodes have applied its change. */
  readonly patience?: number;
  /** Milliseconds to wait while all nodes are silent. */
  readonly silence?: number;
}

/** After every change. */
const EVERYTHING = Number.POSITIVE_INFINITY;

/** A caller that waits until the nodes have applied the log up to a position. */
interface Waiter {
  readonly seq: number;
  readonly passed: () => void;
}

/**
 * All callers in a thread share the queries: regardless of their number, one query is running and at most one follows.
 */
export function newBarrier(
  { read, listen }: PostgresConnection,
  { slowest }: Pick<NodeStore, "slowest">,
  { patience = PATIENCE_MS, silence = SILENCE_MS }: BarrierOptions = {},
): Barrier {
  const waiters = new Set<Waiter>();
  /** When a query first found that all nodes are silent; null if the last one did not. */
  let silentSince: number | null = null;
  const reached = async (): Promise<number> => {
    const place = await slowest().catch(() => 0);
    if (place !== "silent") {
      silentSince = null;
      return place ?? EVERYTHING;
    }
    // The database may have been away for all of them, and has just come back.
    silentSince ??= performance.now();
    return performance.now() - silentSince < silence ? 0 : EVERYTHING;
  };
  let isLooking = false;
  let lookAgain = false;
  const look = async (): Promise<void> => {
    lookAgain = isLooking;
    if (isLooking || waiters.size === 0) return;
    isLooking = true;
    // Callers that arrive meanwhile are not included: a node may have joined before their change and after this query.
    const meant = [...waiters];
    const place = await reached();
    for (const waiter of meant) if (place >= waiter.seq) waiter.passed();
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
      // All nodes have applied a change that is no longer in the log.
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
        if (waiters.size === 0) silentSince = null;
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
