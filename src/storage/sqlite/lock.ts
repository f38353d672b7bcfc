import { Database } from "bun:sqlite";
import { isBusy } from "./failures.ts";

/** Gives the lock back. */
export type Release = () => void;

/**
 * Takes a lock that is a file and returns how to give it back; null when another process holds it.
 * It is a write transaction held open on a database of its own: the system ends it with the process, also after
 * kill -9, which a file with a process id would survive. Throws SQLITE_READONLY where the file may only be read.
 */
export function acquireLock(file: string): Release | null {
  const db = new Database(file, { create: true });
  try {
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    // Nothing is ever written to the file: a journal beside it would only be a second file to own.
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    // SQLite opens what it may not write for reading, and then begins without any lock: only a change needs it.
    db.run("PRAGMA user_version = 1");
    return () => db.close();
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/** Keeps others from the same lock, not from sharing it, and needs no right to write; null when another holds it. */
export function shareLock(file: string): Release | null {
  const db = new Database(file, { readonly: true });
  try {
    db.run("BEGIN");
    db.query("SELECT * FROM sqlite_schema").all();
    return () => db.close();
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}
