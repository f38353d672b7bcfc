import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";

/**
 * Copies a database that others may be writing to into a new file, as it is at one moment. The copy is for its owner's
 * eyes alone; where it fails, half of it stays.
 */
export function copyDatabase(database: string, copy: string): void {
  // SQLite would make it readable for all; it copies into an empty file, too, and keeps its mode.
  writeFileSync(copy, "", { mode: 0o600, flag: "wx" });
  const live = new Database(database, { readwrite: true, strict: true });
  try {
    live.run("PRAGMA busy_timeout = 10000");
    live.query("VACUUM INTO ?").run(copy);
  } finally {
    live.close();
  }
}
