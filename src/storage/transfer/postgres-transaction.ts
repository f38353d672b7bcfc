import type { TransactionSQL } from "bun";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import { withDeadline } from "../postgres/deadline.ts";
import { driverError, postgresFailure } from "../postgres/failures.ts";
import { closePool, openPool } from "../postgres/pool.ts";

/** Runs a statement in a transaction and returns its rows. int8 is text in them. */
export type Run = <T>(statement: string, parameters?: readonly unknown[]) => Promise<readonly T[]>;

/** A statement works on one page of rows, or sorts a table once. */
const DEADLINE_MS = 5 * MINUTE;

/**
 * Runs `work` as one transaction that may take hours. `isolation` is READ COMMITTED, or REPEATABLE READ for one that sees
 * one state of the database. Errors of PostgreSQL are translated to those of the domain.
 */
export async function inLongTransaction<T>(
  url: DatabaseUrl,
  isolation: "READ COMMITTED" | "REPEATABLE READ" | "REPEATABLE READ READ ONLY",
  work: (run: Run, tx: TransactionSQL) => Promise<T>,
): Promise<T> {
  const { sql } = await openPool(url, { max: 1 });
  try {
    return await sql.begin(`ISOLATION LEVEL ${isolation}`, async (tx) => {
      const run: Run = (statement, parameters) => {
        const rows = parameters ? tx.unsafe(statement, [...parameters]) : tx.unsafe(statement);
        return withDeadline(
          async () => rows,
          DEADLINE_MS,
          () => closePool(sql, 0),
        );
      };
      await run("SET LOCAL statement_timeout = 0");
      await run("SET LOCAL idle_in_transaction_session_timeout = 0");
      await run("SET LOCAL synchronous_commit = on");
      // A server may be set to another format, which JSON then contains as well.
      await run("SET LOCAL bytea_output = 'hex'");
      return work(run, tx);
    });
  } catch (error) {
    throw postgresFailure(driverError(error));
  } finally {
    closePool(sql, 0);
  }
}
