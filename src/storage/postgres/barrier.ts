import { eq } from "drizzle-orm";
import { DomainError } from "../../domain/errors.ts";
import { first } from "../store/rows.ts";
import { changes } from "../store/schema.ts";
import type { PostgresConnection } from "./connection.ts";
import { APPLIED_CHANNEL, GAP_MS, type NodeStore, SILENCE_MS } from "./nodes.ts";

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
  /** Milliseconds for which the database must have answered before nodes that are all silent are not waited for. */
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
  const contact = newContact();
  const reached = async (): Promise<number> => {
    const place = await slowest();
    const duration = contact.lastsFor();
    // The database may have been away for all nodes, and have come back a moment ago.
    if (place === "silent") return duration < silence ? 0 : EVERYTHING;
    return place ?? EVERYTHING;
  };
  let isLooking = false;
  let lookAgain = false;
  const look = async (): Promise<void> => {
    lookAgain = isLooking;
    if (isLooking || waiters.size === 0) return;
    isLooking = true;
    // Callers that arrive meanwhile are not included: a node may have joined before their change and after this query.
    const meant = [...waiters];
    const place = await reached().catch(() => 0);
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

/** Measures how long the database has answered this thread without a pause in which leases of nodes may have ended. */
function newContact() {
  let since = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  return {
    /** Call it after each answer. Returns milliseconds. */
    lastsFor(): number {
      const now = performance.now();
      if (now - answeredAt > GAP_MS) since = now;
      answeredAt = now;
      return now - since;
    },
  };
}

function notKnownEverywhere(cause: unknown): DomainError {
  return new DomainError("unavailable", "the change was made, but some visitors may still get what was before", {
    retryAfter: 5,
    ...(cause === undefined ? {} : { cause }),
  });
}
