/**
 * The closed list of what can be wrong. `http/errors.ts` gives each kind its status,
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

/** One field that does not fit, in the shape of the specification's HTTPValidationError. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * A failure that the caller can understand and mend. `detail` is shown to people as it stands:
 * it names what is wrong and, where there is something to do, what to do.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";

  constructor(
    readonly kind: ErrorKind,
    readonly detail: string,
    readonly extra: {
      /** Seconds until another try makes sense; sent as `Retry-After`. */
      readonly retryAfter?: number;
      /** For `validation` only: the fields at fault. */
      readonly fields?: readonly FieldError[];
      /** What failed underneath where an operator has to look into it: for the log, never shown. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail, extra.cause === undefined ? undefined : { cause: extra.cause });
  }
}

/** Returns the error for one field of a request that does not fit; `loc` begins with path, query, header or body. */
export function fieldError(loc: readonly (string | number)[], msg: string, type = "value_error"): DomainError {
  return new DomainError("validation", msg, { fields: [{ loc, msg, type }] });
}

/** Returns the error for who adds to something that was there when they looked for it. */
export function deletedMeanwhile(owner: string): DomainError {
  return new DomainError("not_found", `${owner} does not exist: it was deleted meanwhile`);
}
