import { DomainError, deletedMeanwhile } from "../../domain/errors.ts";

// What the databases report alike.

/** A change referred to a row that does not exist, because it was deleted since it was looked up. */
export class ForeignKeyViolation extends Error {
  constructor(cause: unknown) {
    super("a change refers to a row that does not exist", { cause });
  }
}

/** A change would have made two rows equal that must differ. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a change repeats what must be unique", { cause });
  }
}

/** The connection was lost between the commit and its response. Only a query shows whether the change was made. */
export class ResponseLost extends DomainError {
  constructor(cause: unknown) {
    super("unavailable", "the database went away during the change: check whether it was made before you try again", {
      retryAfter: 5,
      cause,
    });
  }
}

/**
 * Settles like a change that adds something to an owner. The owner may have been deleted since it was looked up. Then it
 * throws `not_found`.
 */
export async function addingTo<T>(owner: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ForeignKeyViolation) throw deletedMeanwhile(owner);
    throw error;
  }
}
