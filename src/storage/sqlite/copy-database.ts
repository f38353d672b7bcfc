import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";

/**
 * Copies a database, which others may be writing to, into a new file as a snapshot. Only the owner can read the copy.
 * If it fails, an incomplete copy remains.
 */
export function copyDatabase(database: string, copy: string): void {
  // SQLite would make it readable for all. It also copies into an empty file, and keeps its mode.
  writeFileSync(copy, "", { mode: 0o600, flag: "wx" });
  using live = new Database(database, { readwrite: true, strict: true });
  live.run("PRAGMA busy_timeout = 10000");
  live.query("VACUUM INTO ?").run(copy);
}

/** Keeps others from changing a database until the returned function is called. They can read it. */
export function keepUnchanged(database: string): () => void {
  const db = new Database(database, { readwrite: true, strict: true });
  try {
    db.run("PRAGMA busy_timeout = 5000");
    db.run("BEGIN IMMEDIATE");
    return () => db.close();
  } catch (error) {
    db.close();
    throw error;
  }
}
