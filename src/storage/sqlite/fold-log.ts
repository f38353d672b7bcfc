import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { errorCode } from "../../domain/error-message.ts";

/** What SQLite keeps beside a database, and reads into whatever database it finds there. */
export const LOGS = ["-wal", "-shm", "-journal"] as const;

/** Returns the files that a database has: its own, and its logs'. */
export function databaseFiles(database: string): string[] {
  return ["", ...LOGS].map((suffix) => database + suffix).filter((file) => existsSync(file));
}

/**
 * Takes what a log holds into its database and removes the log: from then on the one file is all of it. Leaves a
 * database that is damaged, or missing, as it is. Throws what else SQLite says: SQLITE_BUSY where another process has
 * it open.
 */
export function foldLog(database: string): void {
  try {
    const db = new Database(database, { readwrite: true, strict: true });
    try {
      db.run("PRAGMA journal_mode = DELETE");
    } finally {
      db.close();
    }
  } catch (error) {
    // ERROR: of a format, or with a schema, that SQLite does not understand.
    if (!/^SQLITE_(NOTADB|CORRUPT|ERROR|CANTOPEN)/.test(errorCode(error))) throw error;
  }
}
