import { sql } from "drizzle-orm";
import type { Drizzle } from "../store/connection.ts";
import { first, rowsOf } from "../store/rows.ts";
import { driverError, sqlState } from "./failures.ts";
import { changeRefused, IS_MOVED } from "./moved.ts";
import { IDENTITY, type Pool } from "./pool.ts";

/** A transaction, by which the server says what became of it. */
export interface Transaction {
  /** Null if it has changed nothing. */
  readonly xid: string | null;
  readonly history: string;
  readonly run: string;
}

/**
 * Returns the running transaction. Call it after its last change. A move to a data folder locks the tables: it has
 * waited for this transaction and copied its changes, or this transaction has waited for it. Then this throws
 * `unavailable`.
 */
export async function identify(tx: Drizzle, { history, run }: Pool): Promise<Transaction> {
  const statement = sql`SELECT pg_current_xact_id_if_assigned()::text AS xid, ${IS_MOVED} AS moved`;
  const row = await first(rowsOf<{ readonly xid: string | null; readonly moved: boolean }>(tx, statement));
  const xid = row?.xid ?? null;
  if (xid !== null && row?.moved) throw changeRefused();
  return { xid, history, run };
}

/** `unknown` if the server does not tell: it is away, it forgot, it crashed, or another server took over. */
type CommitOutcome = "made" | "not made" | "unknown";

/** Milliseconds to ask for an outcome. A server that was killed is back after a few seconds. */
const PATIENCE_MS = 5000;
const INTERVAL_MS = 50;

/**
 * Finds out whether a transaction whose commit was not answered was made. `use` runs queries on a new connection. The
 * server may still be working on the commit, for example because it waits for a standby.
 */
export async function findOutcome(
  { xid, ...server }: Transaction,
  use: <T>(query: (pool: Pool) => Promise<T>) => Promise<T>,
  patience = PATIENCE_MS,
): Promise<CommitOutcome> {
  if (xid === null) return "not made";
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    const outcome = await use((pool) => askFor(xid, server, pool)).catch(() => null);
    if (outcome !== null) return outcome;
    await Bun.sleep(INTERVAL_MS);
  }
  return "unknown";
}

// --- internal ---

/** Returns null while the server works on the commit. After a failover the number may be that of another transaction. */
async function askFor(xid: string, former: Pick<Pool, "history" | "run">, { db }: Pool): Promise<CommitOutcome | null> {
  const status = await statusOf(db, xid);
  // Read afterwards, so that it is not from before a crash that the status is from after. The pool may be.
  const server = await first(rowsOf<Pick<Pool, "history" | "run">>(db, sql`SELECT ${sql.raw(IDENTITY)}`));
  if (server?.history !== former.history) return "unknown";
  if (status === "aborted") return "not made";
  if (server.run === former.run) return status === "in progress" ? null : status === "committed" ? "made" : "unknown";
  // The transaction ended with the former run. If its number is free, or was given out again, it was undone. Otherwise the
  // number may be its own or that of a later one.
  return status === "in progress" || status === "free" ? "not made" : "unknown";
}

/** Returns what PostgreSQL says about a transaction with that number; null if it was too long ago. */
async function statusOf(db: Drizzle, xid: string): Promise<string | null> {
  const statement = sql`SELECT pg_xact_status(${xid}::xid8) AS status`;
  try {
    return (await first(rowsOf<{ status: string | null }>(db, statement)))?.status ?? null;
  } catch (error) {
    if (sqlState(driverError(error)) === IN_THE_FUTURE) return "free";
    throw error;
  }
}

/** No transaction has got the number yet. */
const IN_THE_FUTURE = "22023";
