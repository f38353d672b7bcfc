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
  /**
   * Identifies the time since the server was started or has recovered from a crash. A crash may undo a transaction whose
   * commit was not answered, and its number is given to another one.
   */
  readonly run: string;
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
  /** The name of the sessions at the server. */
  readonly application?: string;
  /** Milliseconds that a server may take to answer. */
  readonly deadline?: number;
}

/**
 * Opens at most `max` connections to the first of the hosts that answers and is no replica. Throws `unavailable`; its
 * cause says for the operator what is wrong with each host, and what to do.
 */
export async function openPool(url: DatabaseUrl, options: PoolOptions): Promise<Pool> {
  const deadline = Math.min(options.deadline ?? GREETING_DEADLINE_MS, GREETING_DEADLINE_MS);
  const reasons: string[] = [];
  for (const host of url.hosts) {
    try {
      return await openHost(url, host, { ...options, deadline });
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

/**
 * Columns with the history of the server, which is null for a replica, and its run. After a crash all background
 * processes are new, even if the first process survived.
 */
export const IDENTITY = `
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE (SELECT system_identifier FROM pg_control_system()) || '/'
    || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS history,
  extract(epoch FROM pg_postmaster_start_time()) || '/' || (
    SELECT coalesce(min(pid), 0) FROM pg_stat_activity WHERE datid IS NULL AND usesysid IS NULL) AS run`;

/** The server copies the changes of another one and takes none. */
export class ReplicaServer extends Error {}

/** Opens connections to one of the hosts. Throws ReplicaServer, or the driver's error. */
export async function openHost(
  url: DatabaseUrl,
  host: Host,
  { max, deadline, application = "vitrine" }: PoolOptions & { readonly deadline: number },
): Promise<Pool> {
  requireFiles(url);
  const { username, password, database } = url;
  const login = { ...(username && { username }), ...(password && { password }), database };
  const connection = { application_name: application, ...LIMITS };
  const sql = new SQL(urlOfHost(url, host), { ...login, max, connectionTimeout: 5, connection });
  try {
    const giveUp = () => closePool(sql, 0);
    const server = await withDeadline(() => requirePrimary(sql), deadline, giveUp);
    return { sql, db: drizzle({ client: sql }), ...server };
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

async function requirePrimary(sql: SQL): Promise<Pick<Pool, "history" | "run">> {
  const [row] = await sql.unsafe(`SELECT ${IDENTITY}`);
  if (row.history !== null) return row;
  throw new ReplicaServer("it is a replica of another server: add the host of the primary to --database");
}
