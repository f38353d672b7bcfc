import { DrizzleQueryError } from "drizzle-orm/errors";
import { diskFails, diskFull } from "../../domain/disk-error.ts";
import { errorCode } from "../../domain/error-message.ts";
import { DomainError, deletedMeanwhile } from "../../domain/errors.ts";
import { DeadlineMissed } from "./deadline.ts";

/**
 * Returns the driver's error from what Drizzle throws, whose message holds the query with all its parameters, secrets
 * among them.
 */
export function driverError(error: unknown): unknown {
  return error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
}

/** Returns PostgreSQL's failure in the domain's words where it has any; anything else stays what it is. */
export function postgresFailure(thrown: unknown): unknown {
  const error = driverError(thrown);
  const state = sqlState(error);
  if (state === "53100") return diskFull();
  if (state === "58030") return diskFails("the database", error);
  if (isConflict(error) || BUSY.has(state)) {
    return new DomainError("unavailable", "the database is busy: try again in a moment", { retryAfter: 1 });
  }
  const isAway = isConnectionLost(error) || isNotWritable(error) || error instanceof DeadlineMissed;
  if (isAway || REFUSED.test(state)) return databaseAway(error);
  return error;
}

/** The error where no database answers; the operator reads the cause. */
export function databaseAway(cause: unknown): DomainError {
  return new DomainError("unavailable", "the database cannot be reached: try again in a moment", {
    retryAfter: 5,
    cause,
  });
}

/** The connection was lost between the commit and its answer: only a look shows whether the change was made. */
export class AnswerLost extends DomainError {
  constructor(cause: unknown) {
    super("unavailable", "the database went away during the change: look whether it was made before you try again", {
      retryAfter: 5,
      cause,
    });
  }
}

/**
 * Returns whether other transactions were in the way, which a new attempt may not meet: a deadlock, or a serialization
 * failure.
 */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error));
}

/** Returns whether the connection ended, or could not be made. The server has undone what was not committed. */
export function isConnectionLost(error: unknown): boolean {
  return LOST.has(errorCode(error)) || GOING_AWAY.test(sqlState(error));
}

/** Returns whether this server takes no changes: it became a replica, or is one. */
export function isNotWritable(error: unknown): boolean {
  return sqlState(error) === "25006";
}

/**
 * Settles as a change that adds something to an owner. Between the look for the owner and the change it may have been
 * deleted, which the foreign key tells: then it throws `not_found`.
 */
export async function addingTo<T>(owner: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (sqlState(error) === "23503") throw deletedMeanwhile(owner);
    throw error;
  }
}

/** Returns the name of the unique index that a change would have broken; null for any other error. */
export function violatedConstraint(thrown: unknown): string | null {
  const error = driverError(thrown);
  return sqlState(error) === "23505" ? String((error as { readonly constraint?: unknown }).constraint) : null;
}

// --- internal ---

/** A lock was not to be had in time, or a statement took too long. */
const BUSY = new Set(["55P03", "57014"]);

/** Connections that ended, the server's shutdown and start among them. */
const GOING_AWAY = /^(08|57P0[1-5]$)/;

/** Wrong credentials, no such database, no right to it, too many connections. */
const REFUSED = /^(28|3D000$|42501$|53300$)/;

const LOST = new Set([
  "ERR_POSTGRES_CONNECTION_CLOSED",
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

/** Returns the SQLSTATE that the server gave; empty for an error of anybody else. */
function sqlState(error: unknown): string {
  const { errno } = (error ?? {}) as { readonly errno?: unknown };
  return errorCode(error).startsWith("ERR_POSTGRES_") && typeof errno === "string" ? errno : "";
}
