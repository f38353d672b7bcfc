import { DrizzleQueryError } from "drizzle-orm/errors";
import { diskFails, diskFull } from "../../domain/disk-error.ts";
import { errorCode } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import { ForeignKeyViolation, UniqueViolation } from "../store/failures.ts";
import { DeadlineMissed } from "./deadline.ts";

/**
 * Returns the driver's error in an error of Drizzle, whose message contains the query with all its parameters,
 * including secrets.
 */
export function driverError(error: unknown): unknown {
  return error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
}

/** Translates an error of PostgreSQL to one of the domain or of the store; other errors are returned unchanged. */
export function postgresFailure(thrown: unknown): unknown {
  const error = driverError(thrown);
  const state = sqlState(error);
  if (state === "53100") return diskFull();
  if (state === "23503") return new ForeignKeyViolation(error);
  if (state === "23505") return new UniqueViolation(error);
  if (state === "58030") return diskFails("the database", error);
  if (isConflict(error) || BUSY.has(state)) {
    return new DomainError("unavailable", "the database is busy: try again in a moment", { retryAfter: 1 });
  }
  if (state === NUL_CHARACTER) return new DomainError("not_found", "nothing has a name with a NUL character");
  const isAway = isConnectionLost(error) || isNotWritable(error) || error instanceof DeadlineMissed;
  if (isAway || REFUSED.test(state)) return databaseAway(error);
  return error;
}

/** The error if no database is reachable. The operator reads the cause in the log. */
export function databaseAway(cause: unknown): DomainError {
  return new DomainError("unavailable", "the database cannot be reached: try again in a moment", {
    retryAfter: 5,
    cause,
  });
}

/**
 * Returns whether other transactions caused a conflict that a retry can avoid: a deadlock or a serialization failure.
 */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error));
}

/** Returns whether the connection ended or could not be opened. The server rolls back uncommitted changes. */
export function isConnectionLost(error: unknown): boolean {
  return LOST.has(errorCode(error)) || GOING_AWAY.test(sqlState(error));
}

/** Returns whether this server is read-only, because it is a replica. */
export function isNotWritable(error: unknown): boolean {
  return sqlState(error) === "25006";
}

/** Returns the SQLSTATE of an error of the server; empty for other errors. */
export function sqlState(error: unknown): string {
  const { errno } = (error ?? {}) as { readonly errno?: unknown };
  return errorCode(error).startsWith("ERR_POSTGRES_") && typeof errno === "string" ? errno : "";
}

// --- internal ---

/** A request named something that cannot exist: every text that is stored was checked before. */
const NUL_CHARACTER = "22021";

/** A lock was not available in time, or a statement took too long. */
const BUSY = new Set(["55P03", "57014"]);

/** Connections that ended, including those of a server that is stopping or starting. */
const GOING_AWAY = /^(08|57P0[1-5]$|25P03$)/;

/** Wrong credentials, an unknown database, missing privileges, too many connections. */
const REFUSED = /^(28|3D000$|42501$|53300$)/;

const LOST = new Set([
  "ERR_POSTGRES_CONNECTION_CLOSED",
  "ERR_POSTGRES_CONNECTION_FAILED",
  "ERR_POSTGRES_CONNECTION_TIMEOUT",
  "ERR_POSTGRES_CONNECTION_REFUSED",
  "ERR_POSTGRES_IDLE_TIMEOUT",
  "ERR_POSTGRES_LIFETIME_TIMEOUT",
  "ERR_POSTGRES_TLS_NOT_AVAILABLE",
  "ERR_POSTGRES_TLS_UPGRADE_FAILED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
]);
