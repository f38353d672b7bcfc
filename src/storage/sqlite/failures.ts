import { diskFails, diskFull } from "../../domain/disk-error.ts";
import { errorCode, isDiskFull } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import { ForeignKeyViolation, UniqueViolation } from "../store/failures.ts";

const UNCERTAIN = "the disk failed while the change was made durable: check whether it happened before you try again";

/** Translates an error of SQLite to one of the domain or of the store; other errors are returned unchanged. */
export function sqliteFailure(error: unknown): unknown {
  const code = errorCode(error);
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return new ForeignKeyViolation(error);
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") return new UniqueViolation(error);
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
