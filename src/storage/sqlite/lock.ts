import { Database } from "bun:sqlite";
import { isBusy } from "./failures.ts";

/** Releases the lock. */
export type Release = () => void;

/**
 * Takes a lock on a file and returns a function that releases it; null if another process holds it. The lock is an open
 * write transaction on a separate database. The system ends it with the process, even after kill -9, which a PID file
 * would survive. Throws SQLITE_READONLY if the file is read-only.
 */
export function acquireLock(file: string): Release | null {
  return holding(new Database(file, { create: true }), (db) => {
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    // Nothing is ever written to the file, so a journal file beside it is not needed.
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    // SQLite opens a file without write permission read-only, and then takes no lock at the start. A change needs the
    // lock.
    db.run("PRAGMA user_version = 1");
  });
}

/** Takes the lock in shared mode, which needs no write permission; null if another process holds it exclusively. */
export function shareLock(file: string): Release | null {
  return holding(new Database(file, { readonly: true }), (db) => {
    db.run("BEGIN");
    db.query("SELECT * FROM sqlite_schema").all();
  });
}

// --- internal ---

/** Returns what releases the lock that `take` takes with the connection; null if another process holds it. */
function holding(db: Database, take: (db: Database) => void): Release | null {
  try {
    take(db);
    return () => db.close();
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}
