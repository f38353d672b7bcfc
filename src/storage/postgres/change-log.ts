import { type SQL, sql } from "drizzle-orm";
import type { Drizzle } from "../store/connection.ts";
import { countRows, first, rowsOf } from "../store/rows.ts";
import { changes, cluster, logCounters, nodes } from "../store/schema.ts";
import type { PostgresConnection } from "./connection.ts";

/** A place in the log of changes, and in which history of which database. */
export interface LogPlace {
  readonly cluster: string;
  /** The number of changes up to here. */
  readonly seq: number;
  /** Belongs to the last of these changes; null if the log does not contain it. */
  readonly token: string | null;
}

/** With more changes between a replica and the end of the log, it is faster to read everything. */
export const MAX_CHANGES = 10_000;

/** Returns the end of the log. The log keeps its last change, so there is a token except before the first change. */
export async function readEnd(db: Drizzle): Promise<LogPlace> {
  const last = sql<
    string | null
  >`(SELECT ${changes.token} FROM ${changes} WHERE ${changes.seq} = ${logCounters.changes})`;
  const columns = { cluster: cluster.token, seq: logCounters.changes, token: last };
  const row = await first(db.select(columns).from(logCounters).innerJoin(cluster, sql`true`));
  return row!;
}

/** An expression for the number of changes up to a place; 0 if the place is not part of the database's history. */
export function appliedUpTo({ seq, token }: LogPlace): SQL<number> {
  const logged = sql`SELECT seq FROM changes WHERE seq = ${seq} AND token = ${token}::uuid`;
  const end = sql`SELECT changes FROM log_counters WHERE changes = ${seq} AND ${token}::uuid IS NULL`;
  return sql`coalesce((${logged}), (${end}), 0)`;
}

/** Hours that changes stay in the log after every live node has applied them, for nodes that come back. */
const KEPT_HOURS = 1;

/** Minutes that changes stay in any case, because their writers ask for them. */
const LEAST_MINUTES = 1;

/**
 * Removes changes that no node needs: those that all live nodes applied more than an hour ago, and those so far back
 * that a node would read everything instead. The last one stays. Returns the number of removed changes. A node whose
 * place is gone notices that and reads everything.
 */
export async function shortenChangeLog({ write }: PostgresConnection): Promise<number> {
  const older = (age: SQL) => sql`${changes.at} < clock_timestamp() - ${age}`;
  const hours = sql`make_interval(hours => ${KEPT_HOURS}::int)`;
  const minutes = sql`make_interval(mins => ${LEAST_MINUTES}::int)`;
  const slowest = sql`(SELECT min(applied) FROM ${nodes} WHERE ${nodes.leaseEndsAt} > clock_timestamp() - ${hours})`;
  const isApplied = sql`${changes.seq} < coalesce(${slowest}, ${logCounters.changes})`;
  const isFarBack = sql`${changes.seq} < ${logCounters.changes} - ${MAX_CHANGES}::bigint`;
  return write((tx) =>
    countRows(
      rowsOf(
        tx,
        sql`
          DELETE FROM ${changes} USING ${logCounters} WHERE ${changes.seq} < ${logCounters.changes}
            AND ((${older(hours)} AND ${isApplied}) OR (${older(minutes)} AND ${isFarBack})) RETURNING ${changes.rowId}`,
      ),
    ),
  );
}
