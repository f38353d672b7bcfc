import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { errorCode } from "../../disk-error.ts";

/** What SQLite keeps beside a database, and reads into whatever database it finds there. */
export const LOGS = ["-wal", "-shm", "-journal"] as const;

/** Returns the files that a database has: its own, and its logs'. */
export function databaseFiles(database: string): string[] {
  return ["", ...LOGS].map((suffix) => database + suffix).filter((file) => existsSync(file));
}

/**
 * Takes what a log holds into its database and removes the log: from then on the one file is all of it. Leaves a
 * database that is damaged, or missing, as it is. Throws SQLITE_BUSY where another process has it open, and SQLITE_FULL.
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
    if (/^SQLITE_(BUSY|FULL)/.test(errorCode(error))) throw error;
  }
}
