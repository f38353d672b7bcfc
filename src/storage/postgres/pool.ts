import { SQL } from "bun";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import { type DatabaseUrl, urlOfHost } from "./database-url.ts";
import { withDeadline } from "./deadline.ts";
import { databaseAway } from "./failures.ts";

/** Connections to the one server that takes changes. */
export interface Pool {
  readonly sql: SQL;
  readonly db: BunSQLDatabase;
}

/** Milliseconds for a server to say whether it is the one that takes changes. */
const GREETING_DEADLINE_MS = 5000;

/**
 * What the server itself ends: a statement, a wait for a lock, and a transaction whose client is silent. All are below
 * our own deadlines, so that whoever only waited for others is told so, and keeps the pool.
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

/** Ends all connections after so many seconds: then their queries fail, also those that a silent server would never answer. */
export function closePool(sql: SQL, secondsToFinish: number): void {
  void sql.close({ timeout: secondsToFinish });
}

// --- internal ---

async function requirePrimary(sql: SQL): Promise<void> {
  const [row] = await sql`SELECT pg_is_in_recovery() AS replica`;
  if (row.replica) throw new Error("this server is a replica, which takes no changes");
}
