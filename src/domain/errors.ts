/**
 * The closed list of error kinds. `api/errors.ts` maps each kind to a status,
 * so that a kind without one does not compile.
 */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "request_timeout"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "site_not_private"
  | "limit_exceeded"
  | "validation"
  | "too_many_requests"
  | "provider_lookup_failed"
  | "unavailable"
  | "disk_full";

/** An invalid field, in the form of the API's HTTPValidationError. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * An error that the caller can understand. `detail` is shown to people: a sentence in lower case without a full stop
 * that names what is wrong and, if possible, what to do. Pages show it as a `sentence`.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";

  constructor(
    readonly kind: ErrorKind,
    readonly detail: string,
    readonly extra: {
      /** Seconds until a retry can succeed; sent as `Retry-After`. */
      readonly retryAfter?: number;
      /** For `validation` only: the invalid fields. */
      readonly fields?: readonly FieldError[];
      /** The underlying error, if the operator must act on it: logged, never shown. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail, extra.cause === undefined ? undefined : { cause: extra.cause });
  }
}

/** Returns whether something that is needed cannot be reached now, such as the database. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.kind === "unavailable";
}

/** Settles like `work`, but returns `otherwise` if something that it needs cannot be reached. */
export async function unlessUnavailable<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUnavailable(error)) return otherwise;
    throw error;
  }
}

/** Returns the error for one invalid field of a request; `loc` begins with path, query, header or body. */
export function fieldError(loc: readonly (string | number)[], msg: string, type = "value_error"): DomainError {
  return new DomainError("validation", msg, { fields: [{ loc, msg, type }] });
}

/** The error if a site has as many records of a kind as it may have. */
export function hasMaximum(siteName: string, count: number, records: string): DomainError {
  return new DomainError("conflict", `${siteName} has ${count} ${records}, the maximum: remove one first`);
}

/** The error if the parent of a new record was deleted concurrently. */
export function deletedMeanwhile(owner: string): DomainError {
  return new DomainError("not_found", `${owner} does not exist: it was deleted meanwhile`);
}

/** The error of a job's write after its lease was taken over. */
export function leaseLost({ name, epoch }: { readonly name: string; readonly epoch: number }): DomainError {
  return new DomainError(
    "conflict",
    `another holder has the lease ${name}: what was begun in its epoch ${epoch} is refused`,
  );
}
