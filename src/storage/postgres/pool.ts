import { accessSync, constants } from "node:fs";
import { SQL } from "bun";
import { type BunSQLDatabase, drizzle } from "drizzle-orm/bun-sql";
import { type DatabaseUrl, formatHost, type Host, urlOfHost } from "../../domain/database-url.ts";
import { errorCode } from "../../domain/error-message.ts";
import { withDeadline } from "./deadline.ts";
import { databaseAway } from "./failures.ts";
import { reasonOf } from "./reasons.ts";

/** Connections to the primary server. */
export interface Pool {
  readonly sql: SQL;
  readonly db: BunSQLDatabase;
  /** Identifies the server and its history: numbers of transactions mean the same until a standby takes over. */
  readonly history: string;
}

/** Milliseconds for a server to report whether it is the primary. */
const GREETING_DEADLINE_MS = 5000;

/**
 * Time limits of the server for a statement, a wait for a lock, and an idle transaction. All are below the deadlines of
 * this program, so that an operation that only waited for others fails with an error, and the pool stays open. A node
 * that was cut off leaves its transactions idle: they end before others stop waiting for their locks.
 */
const LIMITS = {
  statement_timeout: "20000",
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "5000",
};

interface PoolOptions {
  readonly max: number;
  /** Milliseconds that a server may take to answer. */
  readonly deadline?: number;
}

/**
 * Opens at most `max` connections to the first of the hosts that answers and is no replica. Throws `unavailable`; its
 * cause says for the operator what is wrong with each host, and what to do.
 */
export async function openPool(url: DatabaseUrl, { max, deadline = GREETING_DEADLINE_MS }: PoolOptions): Promise<Pool> {
  const reasons: string[] = [];
  for (const host of url.hosts) {
    try {
      return await openHost(url, host, max, Math.min(deadline, GREETING_DEADLINE_MS));
    } catch (error) {
      reasons.push(`PostgreSQL at ${formatHost(host)} cannot be used: ${reasonOf(error)}`);
    }
  }
  throw databaseAway(new Error(reasons.join("; ")));
}

/**
 * Closes all connections after this many seconds. Their queries fail then, even those to a server that does not
 * respond.
 */
export function closePool(sql: SQL, secondsToFinish: number): void {
  void sql.close({ timeout: secondsToFinish });
}

/** The server copies the changes of another one and takes none. */
export class ReplicaServer extends Error {}

/** Opens connections to one of the hosts. Throws ReplicaServer, or the driver's error. */
export async function openHost(url: DatabaseUrl, host: Host, max: number, deadline: number): Promise<Pool> {
  requireFiles(url);
  const { username, password, database } = url;
  const login = { ...(username && { username }), ...(password && { password }), database };
  const connection = { application_name: "vitrine", ...LIMITS };
  const sql = new SQL(urlOfHost(url, host), { ...login, max, connectionTimeout: 5, connection });
  try {
    const giveUp = () => closePool(sql, 0);
    const history = await withDeadline(() => requirePrimary(sql), deadline, giveUp);
    return { sql, db: drizzle({ client: sql }), history };
  } catch (error) {
    closePool(sql, 0);
    throw error;
  }
}

// --- internal ---

/** The driver does not say which file it cannot read. */
function requireFiles({ query }: DatabaseUrl): void {
  const parameters = new URLSearchParams(query);
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const file = parameters.get(name);
    if (file === null) continue;
    try {
      accessSync(file, constants.R_OK);
    } catch (error) {
      throw new Error(`${name}=${file} in --database cannot be read (${errorCode(error)})`);
    }
  }
}

/** Returns the history of the server. */
async function requirePrimary(sql: SQL): Promise<string> {
  const [row] = await sql`
    SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE (SELECT system_identifier FROM pg_control_system()) || '/'
      || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS history`;
  if (row.history !== null) return row.history;
  throw new ReplicaServer("it is a replica of another server: add the address of the primary to --database");
}
