import { diskFails, diskFull } from "../../domain/disk-error.ts";
import { errorCode, isDiskFull } from "../../domain/error-message.ts";
import { DomainError, deletedMeanwhile } from "../../domain/errors.ts";

const UNCERTAIN = "the disk failed while the change was made durable: check whether it happened before you try again";

/** Translates an error of SQLite to one of the domain; other errors are returned unchanged. */
export function sqliteFailure(error: unknown): unknown {
  const code = errorCode(error);
  // SHMSIZE: the index of the log could not grow.
  if (isDiskFull(error) || code === "SQLITE_IOERR_SHMSIZE") return diskFull();
  // The commit is in the log, which may not be on the disk. Only a crash shows whether it is.
  if (code === "SQLITE_IOERR_FSYNC") {
    return new DomainError("unavailable", UNCERTAIN, { retryAfter: 30, cause: error });
  }
  if (code.startsWith("SQLITE_IOERR")) return diskFails("the database", error);
  if (isBusy(error)) {
    return new DomainError("unavailable", "the database is busy: try again in a moment", { retryAfter: 1 });
  }
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN")) {
    return new DomainError("unavailable", "the database cannot be written: check the data folder", { retryAfter: 30 });
  }
  return error;
}

/** Returns whether another connection blocks this one. */
export function isBusy(error: unknown): boolean {
  return errorCode(error).startsWith("SQLITE_BUSY");
}

/**
 * Settles like a change that adds something to an owner. The owner may have been deleted since it was looked up, which
 * violates the foreign key. Then it throws `not_found`.
 */
export async function addingTo<T>(owner: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (errorCode(error) === "SQLITE_CONSTRAINT_FOREIGNKEY") throw deletedMeanwhile(owner);
    throw error;
  }
}
