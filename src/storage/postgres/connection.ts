import { sql } from "drizzle-orm";
import type { BunSQLQueryResultHKT } from "drizzle-orm/bun-sql";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type { DatabaseUrl } from "./database-url.ts";
import { DeadlineMissed, withDeadline } from "./deadline.ts";
import { AnswerLost, driverError, isConflict, isConnectionLost, isNotWritable, postgresFailure } from "./failures.ts";
import { closePool, openPool, type Pool } from "./pool.ts";
import { changes } from "./schema.ts";

/** Builds queries, outside a transaction or within one. */
export type Drizzle = PgDatabase<BunSQLQueryResultHKT>;

/**
 * The connections of one thread. A change is one transaction at READ COMMITTED: what it decides by, it reads with a lock
 * (`for("update")`, or an advisory lock where there may be no row). Rows are locked in one order: user, site,
 * deployment, content, the audit log. Where others were in the way it runs again from its beginning, so that it does
 * nothing but ask the database.
 */
export interface Connection {
  /** Runs queries that change nothing. They run again where the connection was lost. */
  read<T>(query: (db: Drizzle) => Promise<T>): Promise<T>;

  /** Runs a change as one transaction and returns its value. Throws AnswerLost where it may have been made or not. */
  write<T>(change: (tx: Drizzle) => Promise<T>): Promise<T>;

  /** The same for a change that a power cut at the server may undo, such as who has a lease: it does not wait for the disk. */
  writeRelaxed<T>(change: (tx: Drizzle) => Promise<T>): Promise<T>;

  /** The same for a change that alters what a visitor gets: it is in the log of changes along with it. */
  writeRouting<T>(change: RoutingChange<T>): Promise<T>;

  close(): void;
}

/**
 * A change that says whose visitors it affects: `affects` adds sites by id, or says with none of them that no visitor is
 * concerned. Until it is called, everybody may be.
 */
type RoutingChange<T> = (tx: Drizzle, affects: (...siteIds: readonly number[]) => void) => Promise<T>;

export interface ConnectionOptions {
  /** How many connections there are at most. */
  readonly max?: number;
  /** Milliseconds after which a server that does not answer is given up. */
  readonly deadline?: number;
}

/** Milliseconds for a read or a whole change. A deployment of 50,000 files takes a few seconds. */
const DEADLINE_MS = 30_000;

/** Before the second attempt; doubled before each further one. Random, so that two that met do not meet again. */
const FIRST_PAUSE_MS = 5;

/** How often a change is tried where others are in the way, or the connection was lost before the commit. */
const MAX_ATTEMPTS = 6;

/** Opens no connection before it is needed, and new ones where the server went away. */
export function connect(url: DatabaseUrl, { max = 10, deadline = DEADLINE_MS }: ConnectionOptions = {}): Connection {
  let current: Promise<Pool> | null = null;
  const leave = (pool: Promise<Pool>, secondsToFinish: number): void => {
    if (current === pool) current = null;
    pool.then((opened) => closePool(opened.sql, secondsToFinish)).catch(() => {});
  };
  const attempt = async <T>(work: (db: Drizzle) => Promise<T>): Promise<T> => {
    current ??= openPool(url, max);
    const pool = current;
    const { db } = await pool.catch((error) => {
      leave(pool, 0);
      throw error;
    });
    try {
      return await withDeadline(work(db), deadline, () => leave(pool, 0));
    } catch (thrown) {
      const error = driverError(thrown);
      // Another host may be the one that takes changes by now. What runs on this one may come to its end.
      if (isConnectionLost(error) || isNotWritable(error)) leave(pool, deadline / 1000);
      throw error;
    }
  };

  const read = <T>(query: (db: Drizzle) => Promise<T>): Promise<T> => withRetries(() => attempt(query));
  const write = <T>(change: (tx: Drizzle) => Promise<T>): Promise<T> =>
    withRetries(async () => {
      let isComplete = false;
      const complete = async (tx: Drizzle): Promise<T> => {
        const result = await change(tx);
        isComplete = true;
        return result;
      };
      try {
        return await attempt((db) => db.transaction(complete));
      } catch (error) {
        // Nothing but the commit was left to be answered.
        if (isComplete && (isConnectionLost(error) || error instanceof DeadlineMissed)) throw new AnswerLost(error);
        throw error;
      }
    });

  return {
    read,
    write,

    writeRelaxed: (change) =>
      write(async (tx) => {
        await tx.execute(sql`SET LOCAL synchronous_commit = off`);
        return change(tx);
      }),

    writeRouting: (change) =>
      write(async (tx) => {
        let affected: Set<number> | null = null;
        const result = await change(tx, (...siteIds) => {
          affected = new Set([...(affected ?? []), ...siteIds]);
        });
        await tx.insert(changes).values({ sites: affected && [...affected] });
        return result;
      }),

    close() {
      if (current) leave(current, 0);
    },
  };
}

// --- internal ---

/** Attempts again what met others, or lost its connection before it was made; throws failures in the domain's words. */
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
