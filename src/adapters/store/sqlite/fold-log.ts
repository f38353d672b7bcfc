import { Database } from "bun:sqlite";

/** What SQLite keeps beside a database, and reads into whatever database it finds there. */
export const LOGS = ["-wal", "-shm", "-journal"] as const;

/**
 * Takes what a log holds into its database and removes the log: from then on the one file is all of it. Throws
 * SQLITE_BUSY where another process has the database open, and what is wrong with it where it is damaged.
 */
export function foldLog(database: string): void {
  const db = new Database(database, { readwrite: true, strict: true });
  try {
    db.run("PRAGMA journal_mode = DELETE");
  } finally {
    db.close();
  }
}
