import { sql } from "drizzle-orm";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { DomainError } from "../../domain/errors.ts";
import { type Observe, timed } from "../meters/operation-meters.ts";
import { type Change, type Connection, type Drizzle, newAffected, type RoutingChange } from "../store/connection.ts";
import { ResponseLost } from "../store/failures.ts";
import { first } from "../store/rows.ts";
import { changes } from "../store/schema.ts";
import { findOutcome, identify, type Transaction } from "./commit-outcome.ts";
import { CurrentPool, type PoolWork } from "./current-pool.ts";
import { DeadlineMissed } from "./deadline.ts";
import { databaseAway, isConflict, isConnectionLost, postgresFailure } from "./failures.ts";
import type { Pool } from "./pool.ts";

/**
 * The connections of one thread. If the response to a commit is lost, the server is asked whether the change was made, and
 * a write throws ResponseLost if that remains unknown. A routing change is recorded in the log of changes in the same
 * transaction, and `afterRoutingChange` has handled it when the write returns.
 */
export interface PostgresConnection extends Connection {
  /**
   * Runs queries that see one state of the database. Each may take as long as a whole `read` if `extend` is called after
   * it.
   */
  snapshot<T>(query: (db: Drizzle, extend: () => void) => Promise<T>): Promise<T>;

  /**
   * Calls `listener` with the payload after each commit that notified the channel, and with null whenever a notification
   * may have been missed: once a connection listens, the first time or again. Without a connection, that is at the next
   * query. Returns a function that ends it.
   */
  listen(channel: string, listener: (payload: string | null) => void): () => void;

  close(): void;
}

export interface ConnectionOptions {
  /** The maximum number of connections. */
  readonly max?: number;
  /** Milliseconds after which a request to a server that does not respond is aborted. */
  readonly deadline?: number;
  /** The name of the sessions at the server; see `sessionsOf` for those of a node. */
  readonly application?: string;
  /**
   * Called after each query and transaction with its duration. It failed if the database was away, busy or full; a
   * change that is refused has not failed.
   */
  readonly observe?: Observe;
  /** Returns whether the server is known to be unreachable. Then nothing is attempted. */
  readonly isAway?: () => boolean;
  /** Settles when the routing change may be confirmed; `rowId` identifies its row in the log. */
  readonly afterRoutingChange?: (rowId: number) => Promise<void>;
}

/** Milliseconds for a read or a whole change. A deployment of 50,000 files takes a few seconds. */
const DEADLINE_MS = 30_000;

/**
 * Before the second attempt; doubled before each further one. Random, so that two conflicting changes do not conflict
 * again.
 */
const FIRST_PAUSE_MS = 5;

/** How often a change is attempted after conflicts, or if the connection was lost before the commit. */
const MAX_ATTEMPTS = 6;

/** The trigger that numbers the live events notifies this channel. */
const LIVE_EVENTS = "vitrine_live_events";

/** Opens connections on demand, and new ones if the server becomes unreachable. */
export function connect(
  url: DatabaseUrl,
  {
    max = 10,
    deadline = DEADLINE_MS,
    application,
    observe = () => {},
    isAway,
    afterRoutingChange,
  }: ConnectionOptions = {},
): PostgresConnection {
  const pool = new CurrentPool(url, { max, deadline, ...(application && { application }) });
  const use = async <T>(work: PoolWork<T>): Promise<T> => {
    if (isAway?.()) throw databaseAway(new Error("this node has lost its connection to the database"));
    return timed(() => pool.use(work), observe, isFailure);
  };
  const read = <T>(query: (db: Drizzle) => Promise<T>): Promise<T> => withRetries(() => use(({ db }) => query(db)));
  const write = <T>(change: Change<T>): Promise<T> => withRetries(() => writeOnce(use, change));
  const stopWatching = watchOutages(isAway, {
    begins: () => pool.abandon(),
    ends: () => read((db) => db.execute(sql`SELECT 1`)),
  });
  return {
    read,
    write,
    snapshot: (query) => withRetries(() => use(({ db }, extend) => readSnapshot(db, (tx) => query(tx, extend)))),

    writeRelaxed: (change) =>
      write(async (tx) => {
        await tx.execute(sql`SET LOCAL synchronous_commit = off`);
        return change(tx);
      }),

    async writeRouting(change) {
      const { result, rowId } = await write((tx) => changeAndLog(tx, change));
      await afterRoutingChange?.(rowId);
      return result;
    },

    freeing: (write) => write(),
    watchLiveEvents: (listener) => pool.listen(LIVE_EVENTS, () => listener()),
    listen: (channel, listener) => pool.listen(channel, listener),
    close() {
      stopWatching();
      pool.close();
    },
  };
}

// --- internal ---

/** Milliseconds between two looks whether the server is known to be unreachable. */
const OUTAGE_INTERVAL_MS = 500;

interface Outage {
  /** Queries that wait for the server must not keep their callers waiting. */
  readonly begins: () => void;
  /** Opens connections again, so that subscriptions receive notifications. */
  readonly ends: () => Promise<unknown>;
}

/** Calls `begins` and `ends` with each outage. Returns a function that stops it. */
function watchOutages(isAway: ConnectionOptions["isAway"], { begins, ends }: Outage): () => void {
  if (isAway === undefined) return () => {};
  let wasAway = false;
  const look = () => {
    const isNow = isAway();
    if (isNow && !wasAway) begins();
    if (!isNow && wasAway) ends().catch(() => {});
    wasAway = isNow;
  };
  const timer = setInterval(look, OUTAGE_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function readSnapshot<T>(db: Drizzle, query: (tx: Drizzle) => Promise<T>): Promise<T> {
  return db.transaction(
    async (tx) => {
      // The transaction holds no locks, and between queries the caller writes elsewhere what it has read.
      await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '20s'`);
      return query(tx);
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

type UsePool = <T>(work: PoolWork<T>) => Promise<T>;

/** Runs a change once. If only the response to its commit was lost, the server says whether it was made. */
async function writeOnce<T>(use: UsePool, change: Change<T>): Promise<T> {
  const complete: { change?: { readonly result: T; readonly transaction: Transaction } } = {};
  const run = (pool: Pool) =>
    pool.db.transaction(async (tx) => {
      const result = await change(tx);
      complete.change = { result, transaction: await identify(tx, pool) };
      return result;
    });
  try {
    return await use(run);
  } catch (error) {
    const isResponseMissing = isConnectionLost(error) || error instanceof DeadlineMissed;
    if (complete.change === undefined || !isResponseMissing) throw error;
    const outcome = await findOutcome(complete.change.transaction, use);
    if (outcome === "made") return complete.change.result;
    throw outcome === "not made" ? error : new ResponseLost(error);
  }
}

/** Makes a routing change with its row in the log, whose id it returns. */
async function changeAndLog<T>(tx: Drizzle, change: RoutingChange<T>): Promise<{ result: T; rowId: number }> {
  const { affects, sites, contents } = newAffected();
  const result = await change(tx, affects);
  const affected = sites();
  const entry = { sites: affected && [...affected], contents: [...contents] };
  const row = await first(tx.insert(changes).values(entry).returning({ id: changes.rowId }));
  return { result, rowId: row!.id };
}

/** Returns whether the database is the cause, and not the change. */
function isFailure(error: unknown): boolean {
  const failure = postgresFailure(error);
  return failure instanceof DomainError && (failure.kind === "unavailable" || failure.kind === "disk_full");
}

/**
 * Repeats attempts after conflicts, or if the connection was lost before the change was made. Translates errors to
 * those of the domain.
 */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isWorthIt = isConflict(error) || isConnectionLost(error);
      if (!isWorthIt || attempts === MAX_ATTEMPTS) throw postgresFailure(error);
    }
    await Bun.sleep(Math.random() * FIRST_PAUSE_MS * 2 ** attempts);
  }
}
