import { statSync } from "node:fs";
import type { DatabaseUrl } from "../../../domain/database-url.ts";
import type { Snapshot } from "../../../domain/ports/backup.ts";
import { OMITTED_TABLES, takeSnapshot, trimCopy } from "../../sqlite/snapshot.ts";
import { exportToSqlite } from "../../transfer/export.ts";
import { inLongTransaction } from "../../transfer/postgres-transaction.ts";
import { TABLES } from "../../transfer/tables.ts";

/** The metadata of a server, of which backups contain a copy as a SQLite database. */
export interface DatabaseSource {
  /** Copies the metadata as of one moment into a new file. Others may write meanwhile. */
  takeSnapshot(file: string): Promise<Snapshot>;

  /** Returns the bytes that a copy needs at most. */
  size(): Promise<number>;
}

/** The database in a data folder. */
export function sqliteDatabase(file: string): DatabaseSource {
  return {
    takeSnapshot: async (copy) => takeSnapshot(file, copy),
    size: async () => statSync(file).size,
  };
}

/** A database in PostgreSQL. */
export function postgresDatabase(url: DatabaseUrl): DatabaseSource {
  const names = TABLES.filter((name) => !OMITTED_TABLES.includes(name));
  return {
    takeSnapshot: (copy) =>
      inLongTransaction(url, "REPEATABLE READ READ ONLY", async (run) => {
        await exportToSqlite(run, copy, names, { copied() {}, compared: null });
        return trimCopy(copy);
      }),

    size: () =>
      inLongTransaction(url, "REPEATABLE READ READ ONLY", async (run) => {
        const [row] = await run<{ readonly bytes: number }>(
          "SELECT pg_database_size(current_database())::float8 AS bytes",
        );
        return row?.bytes ?? 0;
      }),
  };
}
