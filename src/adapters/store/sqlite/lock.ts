import { Database } from "bun:sqlite";

/** Gives the lock back. */
export type Release = () => void;

/**
 * Takes the lock of a data folder and returns how to give it back; null when another process holds it.
 * It is a write transaction held open on a database of its own: the system ends it with the process, also after
 * kill -9, which a file with a process id would survive.
 */
export function acquireLock(file: string): Release | null {
  const db = new Database(file, { create: true });
  try {
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
    return () => db.close();
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
}
