import { sql } from "drizzle-orm";
import type { ProviderName } from "../../domain/model/user.ts";
import { runsOnSqlite } from "./by-database.ts";
import type { Drizzle } from "./connection.ts";

/**
 * Advisory locks for transactions that depend on something without a row to lock: the totals of a user, or the end of
 * the chain.
 */
type LockName =
  | `people of ${ProviderName}`
  | "the first person"
  | `certificate of ${string}`
  | "account links"
  | "registered agents"
  | "operators"
  | `claims of ${number}`
  | "backups"
  | "metrics"
  | `rate of ${string}`
  | `quota of ${number}`
  | "webhook deliveries"
  | "nodes"
  | "audit";

/** Waits for the lock, which is released at the end of the transaction. On SQLite a change is alone anyway. */
export async function takeLock(tx: Drizzle, name: LockName): Promise<void> {
  if (runsOnSqlite(tx)) return;
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`vitrine ${name}`}, 0))`);
}
