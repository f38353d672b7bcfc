import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { errorCode } from "../../domain/error-message.ts";

/** The files that SQLite creates beside a database, and applies to any database of that name. */
export const LOGS = ["-wal", "-shm", "-journal"] as const;

/** Returns the files of a database, including its logs. */
export function databaseFiles(database: string): string[] {
  return ["", ...LOGS].map((suffix) => database + suffix).filter((file) => existsSync(file));
}

/**
 * Applies a log to its database and removes it, so that the database is a single file. Does nothing if the database is
 * damaged or missing. Throws other errors of SQLite: SQLITE_BUSY if another process has it open.
 */
export function foldLog(database: string): void {
  try {
    using db = new Database(database, { readwrite: true, strict: true });
    db.run("PRAGMA journal_mode = DELETE");
  } catch (error) {
    // ERROR means an unknown format or schema.
    if (!/^SQLITE_(NOTADB|CORRUPT|ERROR|CANTOPEN)/.test(errorCode(error))) throw error;
  }
}
