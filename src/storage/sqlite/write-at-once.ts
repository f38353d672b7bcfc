import type { Database } from "bun:sqlite";
import { sqliteFailure } from "./failures.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";

/** Milliseconds that a change waits for others before it fails with `unavailable`. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Runs a synchronous change as one transaction of this connection, which does not wait for the disk. While another
 * connection writes, it is retried, and the thread does other work meanwhile.
 */
export async function writeAtOnce<T>(raw: Database, change: () => T): Promise<T> {
  const transaction = raw.transaction(change);
  try {
    return await retryWhileBusy(BUSY_TIMEOUT_MS, () => {
      // A wait inside SQLite blocks the whole thread. Readers wait only for a recovery after a crash, which is short.
      raw.run("PRAGMA busy_timeout = 0");
      // In WAL mode NORMAL only omits the sync of each commit, and the file stays consistent.
      raw.run("PRAGMA synchronous = NORMAL");
      try {
        return transaction.immediate();
      } finally {
        raw.run("PRAGMA synchronous = FULL");
        raw.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      }
    });
  } catch (error) {
    throw sqliteFailure(error);
  }
}
