import { DomainError, type ErrorKind } from "../domain/errors.ts";

/** The status of each kind of error. */
export const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  request_timeout: 408,
  conflict: 409,
  site_not_private: 409,
  limit_exceeded: 413,
  validation: 422,
  too_many_requests: 429,
  provider_lookup_failed: 502,
  unavailable: 503,
  disk_full: 507,
} as const satisfies Record<ErrorKind, number>;

/** The default `Retry-After` of errors in seconds. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

/** Returns the response for an error, in one of the specification's two shapes. Internal details are reported and not sent. */
export function errorResponse(error: unknown, report: (error: unknown) => void): Response {
  if (!(error instanceof DomainError)) {
    report(error);
    return Response.json({ detail: "internal error" }, { status: 500 });
  }
  if (error.extra.cause !== undefined) report(error.extra.cause);
  const detail = error.kind === "validation" ? (error.extra.fields ?? []) : error.detail;
  return Response.json({ detail }, { status: STATUS[error.kind], headers: errorHeaders(error) });
}

function errorHeaders({ kind, extra }: DomainError): Record<string, string> {
  if (kind === "unauthenticated") return { "WWW-Authenticate": "Bearer" };
  if (kind === "too_many_requests" || kind === "unavailable") {
    return { "Retry-After": String(Math.max(1, Math.ceil(extra.retryAfter ?? DEFAULT_RETRY_AFTER_SECONDS))) };
  }
  return {};
}
