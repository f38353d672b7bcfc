import { messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import { StartFailure } from "../../domain/start-failure.ts";
import { UnusableDatabase } from "./migrate.ts";
import { reasonOf } from "./reasons.ts";

/** Returns the error of opening a database as one line that says what to do; errors in the program unchanged. */
export function startFailure(error: unknown): unknown {
  if (error instanceof UnusableDatabase) return new StartFailure(error.message);
  if (error instanceof DomainError) return new StartFailure(messageOf(error.extra.cause ?? error));
  const isPostgres = (error as { readonly code?: unknown } | null)?.code?.toString().startsWith("ERR_POSTGRES_");
  return isPostgres ? new StartFailure(`the database cannot be used: ${reasonOf(error)}`) : error;
}
