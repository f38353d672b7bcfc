import type { BunSQLQueryResultHKT } from "drizzle-orm/bun-sql";
import type { PgDatabase } from "drizzle-orm/pg-core";

/** Builds queries for either database, outside a transaction or within one. */
export type Drizzle = PgDatabase<BunSQLQueryResultHKT>;

/** A change: it queries the database and does nothing else, because it is repeated after a conflict. */
export type Change<T> = (tx: Drizzle) => Promise<T>;

/** A change of what visitors get. It names what it affects. */
export type RoutingChange<T> = (tx: Drizzle, affects: Affects) => Promise<T>;

/** Collects what a routing change affects. */
export interface Affects {
  /**
   * Adds sites by ID; without sites, states that the change affects no visitor. Until it is called, the change may
   * affect all visitors.
   */
  (...siteIds: readonly number[]): void;
  /** Adds contents whose encodings were recorded, by ID. */
  contents(...contentIds: readonly number[]): void;
}

/**
 * The database, as the stores of all nouns use it in one thread. A change is one transaction: on PostgreSQL at READ
 * COMMITTED, on SQLite alone. What it depends on is read with a lock (`for("update")`, or `takeLock` if there may be no
 * row), which SQLite does not need. Rows are locked in one order: user, site, deployment, content, the audit log.
 */
export interface Connection {
  /** Runs read-only queries. They may be repeated, and each may see a later state than the one before. */
  read<T>(query: (db: Drizzle) => Promise<T>): Promise<T>;

  /** Runs a change as one transaction and returns its value. It is durable when this returns. */
  write<T>(change: Change<T>): Promise<T>;

  /**
   * Like `write`, for a change that may be lost in a power cut, such as the holder of a lease, because it does not wait
   * for the disk. A crash of the process loses nothing.
   */
  writeRelaxed<T>(change: Change<T>): Promise<T>;

  /** Like `write`, for a change that affects responses to visitors. All of them see it when this returns. */
  writeRouting<T>(change: RoutingChange<T>): Promise<T>;

  /**
   * Runs a write that frees space, such as a deletion. If the disk is full, the reserve file of an embedded database is
   * deleted, and the write is tried again.
   */
  freeing<T>(write: () => Promise<T>): Promise<T>;

  /** Calls the listener after each commit of live events, or soon after. Returns a function that ends it. */
  watchLiveEvents(listener: () => void): () => void;
}

/** Returns the change as one that affects one site. */
export function affectingSite<T>(siteId: number, change: RoutingChange<T>): RoutingChange<T> {
  return (tx, affects) => {
    affects(siteId);
    return change(tx, affects);
  };
}

/** Returns the change as one of what nodes must know that affects no visitor. */
export function affectingNobody<T>(change: Change<T>): RoutingChange<T> {
  return (tx, affects) => {
    affects();
    return change(tx);
  };
}

/** Collects what a routing change affects. `sites` returns null while it may affect all. */
export function newAffected() {
  let sites: Set<number> | null = null;
  const contents = new Set<number>();
  const addSites = (...siteIds: readonly number[]) => {
    sites = new Set([...(sites ?? []), ...siteIds]);
  };
  const addContents = (...contentIds: readonly number[]) => {
    for (const id of contentIds) contents.add(id);
  };
  const affects: Affects = Object.assign(addSites, { contents: addContents });
  return { affects, contents, sites: () => sites as ReadonlySet<number> | null };
}
