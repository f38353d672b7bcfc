import { sql } from "drizzle-orm";
import type { BunSQLQueryResultHKT } from "drizzle-orm/bun-sql";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { DomainError } from "../../domain/errors.ts";
import { type Observe, timed } from "../meters/operation-meters.ts";
import { findOutcome, identify, type Transaction } from "./commit-outcome.ts";
import { CurrentPool, type PoolWork } from "./current-pool.ts";
import { DeadlineMissed } from "./deadline.ts";
import { AnswerLost, databaseAway, isConflict, isConnectionLost, postgresFailure } from "./failures.ts";
import type { Pool } from "./pool.ts";
import { first } from "./rows.ts";
import { changes } from "./schema.ts";

/** Builds queries, outside a transaction or within one. */
export type Drizzle = PgDatabase<BunSQLQueryResultHKT>;

/**
 * The connections of one thread. A change is one transaction at READ COMMITTED. The rows that it depends on are read
 * with a lock (`for("update")`, or an advisory lock if there may be no row). Rows are locked in one order: user, site,
 * deployment, content, the audit log. After a conflict the change is repeated from its start, so it must do nothing
 * except query the database.
 */
export interface Connection {
  /** Runs read-only queries. They are repeated if the connection was lost. */
  read<T>(query: (db: Drizzle) => Promise<T>): Promise<T>;

  /**
   * Runs queries that see one state of the database. Each may take as long as a whole `read` if `extend` is called after
   * it.
   */
  snapshot<T>(query: (db: Drizzle, extend: () => void) => Promise<T>): Promise<T>;

  /**
   * Runs a change as one transaction and returns its value. If the answer to the commit is lost, the server is asked
   * whether the change was made. Throws AnswerLost if that remains unknown.
   */
  write<T>(change: (tx: Drizzle) => Promise<T>): Promise<T>;

  /**
   * Like `write`, for a change that may be lost in a power cut at the server, such as the holder of a lease, because it
   * does not wait for the disk.
   */
  writeRelaxed<T>(change: (tx: Drizzle) => Promise<T>): Promise<T>;

  /**
   * Like `write`, for a change that affects responses to visitors: it is recorded in the log of changes in the same
   * transaction, and `afterRoutingChange` has handled it when this returns.
   */
  writeRouting<T>(change: RoutingChange<T>): Promise<T>;

  /**
   * Calls `listener` with the payload after each commit that notified the channel, and with null whenever a notification
   * may have been missed: once a connection listens, the first time or again. Without a connection, that is at the next
   * query. Returns a function that ends it.
   */
  listen(channel: string, listener: (payload: string | null) => void): () => void;

  close(): void;
}

/** Collects the entries of a routing change for the log of changes. */
interface Affected {
  /**
   * Adds sites by ID; without sites, states that the change affects no visitor. Until it is called, the change may
   * affect all visitors.
   */
  (...siteIds: readonly number[]): void;
  /** Adds contents whose encodings were recorded, by id. */
  contents(...contentIds: readonly number[]): void;
}

type RoutingChange<T> = (tx: Drizzle, affects: Affected) => Promise<T>;

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
): Connection {
  const pool = new CurrentPool(url, { max, deadline, ...(application && { application }) });
  const use = async <T>(work: PoolWork<T>): Promise<T> => {
    if (isAway?.()) throw databaseAway(new Error("this node has lost its connection to the database"));
    return timed(() => pool.use(work), observe, isFailure);
  };
  const read = <T>(query: (db: Drizzle) => Promise<T>): Promise<T> => withRetries(() => use(({ db }) => query(db)));
  const write = <T>(change: (tx: Drizzle) => Promise<T>): Promise<T> => withRetries(() => writeOnce(use, change));
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

/** Runs a change once. If only the answer to its commit was lost, the server says whether it was made. */
async function writeOnce<T>(use: UsePool, change: (tx: Drizzle) => Promise<T>): Promise<T> {
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
    const isAnswerMissing = isConnectionLost(error) || error instanceof DeadlineMissed;
    if (complete.change === undefined || !isAnswerMissing) throw error;
    const outcome = await findOutcome(complete.change.transaction, use);
    if (outcome === "made") return complete.change.result;
    throw outcome === "not made" ? error : new AnswerLost(error);
  }
}

/** Makes a routing change with its row in the log, whose id it returns. */
async function changeAndLog<T>(tx: Drizzle, change: RoutingChange<T>): Promise<{ result: T; rowId: number }> {
  const log = newLogEntry();
  const result = await change(tx, log.affects);
  const row = await first(tx.insert(changes).values(log.entry()).returning({ id: changes.rowId }));
  return { result, rowId: row!.id };
}

/** Returns whether the database is the cause, and not the change. */
function isFailure(error: unknown): boolean {
  const failure = postgresFailure(error);
  return failure instanceof DomainError && (failure.kind === "unavailable" || failure.kind === "disk_full");
}

/** Collects the entries of a change for the log. */
function newLogEntry() {
  let sites: Set<number> | null = null;
  const contents = new Set<number>();
  const addSites = (...siteIds: readonly number[]) => {
    sites = new Set([...(sites ?? []), ...siteIds]);
  };
  const addContents = (...contentIds: readonly number[]) => {
    for (const id of contentIds) contents.add(id);
  };
  const affects: Affected = Object.assign(addSites, { contents: addContents });
  return { affects, entry: () => ({ sites: sites && [...sites], contents: [...contents] }) };
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
