import { SQL } from "bun";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import { type DatabaseUrl, urlOfHost } from "./database-url.ts";
import { withDeadline } from "./deadline.ts";
import { databaseAway } from "./failures.ts";

/** Connections to the primary server. */
export interface Pool {
  readonly sql: SQL;
  readonly db: BunSQLDatabase;
}

/** Milliseconds for a server to report whether it is the primary. */
const GREETING_DEADLINE_MS = 5000;

/**
 * Time limits of the server for a statement, a wait for a lock, and an idle transaction. All are below the deadlines of
 * this program, so that an operation that only waited for others fails with an error, and the pool stays open.
 */
const LIMITS = {
  statement_timeout: "20000",
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "20000",
};

interface PoolOptions {
  readonly max: number;
  /** Milliseconds that a server may take to answer. */
  readonly deadline?: number;
}

/** Opens at most `max` connections to the first of the hosts that answers and is no replica. */
export async function openPool(url: DatabaseUrl, { max, deadline = GREETING_DEADLINE_MS }: PoolOptions): Promise<Pool> {
  const failures: unknown[] = [];
  for (const host of url.hosts) {
    const { username, password, database } = url;
    const login = { ...(username && { username }), ...(password && { password }), database };
    const connection = { application_name: "vitrine", ...LIMITS };
    const sql = new SQL(urlOfHost(url, host), { ...login, max, connectionTimeout: 5, connection });
    try {
      await withDeadline(requirePrimary(sql), Math.min(deadline, GREETING_DEADLINE_MS), () => closePool(sql, 0));
      return { sql, db: drizzle({ client: sql }) };
    } catch (error) {
      closePool(sql, 0);
      failures.push(error);
    }
  }
  throw databaseAway(failures.length === 1 ? failures[0] : new AggregateError(failures));
}

/**
 * Closes all connections after this many seconds. Their queries fail then, even those to a server that does not
 * respond.
 */
export function closePool(sql: SQL, secondsToFinish: number): void {
  void sql.close({ timeout: secondsToFinish });
}

// --- internal ---

async function requirePrimary(sql: SQL): Promise<void> {
  const [row] = await sql`SELECT pg_is_in_recovery() AS replica`;
  if (row.replica) throw new Error("this server is a replica, which takes no changes");
}
