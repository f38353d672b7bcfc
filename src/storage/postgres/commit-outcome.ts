import { sql } from "drizzle-orm";
import type { Drizzle } from "./connection.ts";
import { changeRefused, IS_MOVED } from "./moved.ts";
import type { Pool } from "./pool.ts";
import { first, rowsOf } from "./rows.ts";

/** A transaction, by which the server says what became of it. */
export interface Transaction {
  /** Null if it has changed nothing. */
  readonly xid: string | null;
  readonly history: string;
}

/**
 * Returns the running transaction. Call it after its last change. A move to a data folder locks the tables: it has
 * waited for this transaction and copied its changes, or this transaction has waited for it. Then this throws
 * `unavailable`.
 */
export async function identify(tx: Drizzle, { history }: Pool): Promise<Transaction> {
  const statement = sql`SELECT pg_current_xact_id_if_assigned()::text AS xid, ${IS_MOVED} AS moved`;
  const row = await first(rowsOf<{ readonly xid: string | null; readonly moved: boolean }>(tx, statement));
  const xid = row?.xid ?? null;
  if (xid !== null && row?.moved) throw changeRefused();
  return { xid, history };
}

/** `unknown` if the server does not tell: it is away, it forgot, or another server took over. */
export type CommitOutcome = "made" | "not made" | "unknown";

/** Milliseconds to ask for an outcome. A server that was killed is back after a few seconds. */
const PATIENCE_MS = 5000;
const INTERVAL_MS = 50;

/**
 * Finds out whether a transaction whose commit was not answered was made. `use` runs queries on a new connection. The
 * server may still be working on the commit, for example because it waits for a standby.
 */
export async function findOutcome(
  { xid, history }: Transaction,
  use: <T>(query: (pool: Pool) => Promise<T>) => Promise<T>,
  patience = PATIENCE_MS,
): Promise<CommitOutcome> {
  if (xid === null) return "not made";
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    const status = await use((pool) => statusOf(pool, xid, history)).catch(() => "away");
    if (status === "committed") return "made";
    if (status === "aborted") return "not made";
    if (status === null) return "unknown";
    await Bun.sleep(INTERVAL_MS);
  }
  return "unknown";
}

// --- internal ---

/** After a failover the number may be that of another transaction. */
async function statusOf({ db, history }: Pool, xid: string, former: string): Promise<string | null> {
  if (history !== former) return null;
  const statement = sql`SELECT pg_xact_status(${xid}::xid8) AS status`;
  return (await first(rowsOf<{ status: string | null }>(db, statement)))?.status ?? null;
}
