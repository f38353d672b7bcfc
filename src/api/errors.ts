import { ValidationError } from "elysia";
import { DomainError, type ErrorKind, type FieldError } from "../domain/errors.ts";
import { siteParameter } from "./schemas/sites.ts";
import { isText, textProblem } from "./schemas/text.ts";

/** The one table from what went wrong to the status that says so. */
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

/** Without a `Retry-After` of its own, a refusal that asks for patience asks for this many seconds. */
const DEFAULT_RETRY_AFTER = 5;

/** The parts of a request that Elysia turns into numbers before it judges them, and what its route asks of them. */
interface Sent {
  readonly route?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly schemas?: { readonly params?: Fields; readonly query?: Fields };
}

interface Fields {
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Returns the answer for a failure: the specification's two shapes, and nothing of what is ours to know. */
export function errorResponse(error: unknown, report: (error: unknown) => void, sent: Sent = {}): Response {
  const known = asDomainError(error, sent);
  if (!known) {
    report(error);
    return Response.json({ detail: "internal error" }, { status: 500 });
  }
  if (known.extra.cause !== undefined) report(known.extra.cause);
  const detail = known.kind === "validation" ? (known.extra.fields ?? []) : known.detail;
  return Response.json({ detail }, { status: STATUS[known.kind], headers: errorHeaders(known) });
}

function errorHeaders({ kind, extra }: DomainError): Record<string, string> {
  if (kind === "unauthenticated") return { "WWW-Authenticate": "Bearer" };
  if (kind === "too_many_requests" || kind === "unavailable") {
    return { "Retry-After": String(Math.max(1, Math.ceil(extra.retryAfter ?? DEFAULT_RETRY_AFTER))) };
  }
  return {};
}

/** Elysia wraps what a body parser throws; its own validation error becomes ours, unless it is of our own answer. */
function asDomainError(error: unknown, sent: Sent): DomainError | null {
  if (error instanceof DomainError) return error;
  if (error instanceof ValidationError && error.type !== "response")
    return new DomainError("validation", "validation failed", { fields: fieldsOf(error, sent) });
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof DomainError ? cause : null;
}

const LOCATION: Record<string, string> = { params: "path", query: "query", headers: "header", body: "body" };

/** One entry per field: the checker names a missing field twice, and an integer in a path as a choice of integers. */
function fieldsOf(error: ValidationError, sent: Sent): FieldError[] {
  const place =
    LOCATION[error.type] === undefined ? placeOfNumber(error.value, sent) : [LOCATION[error.type] as string];
  const fields = new Map<string, FieldError>();
  for (const problem of error.all) {
    const path = "path" in problem && typeof problem.path === "string" ? problem.path : "";
    if (fields.has(path)) continue;
    const loc = [...place, ...path.split("/").filter((part) => part !== "")];
    if (loc[0] === "path" && loc[1] === "name") loc[1] = siteParameter(sent.route ?? "");
    fields.set(path, { loc, ...describe(problem as Problem) });
  }
  return [...fields.values()];
}

/** A number out of bounds is told without its name: it is that of an integer which the route does not take. */
function placeOfNumber(value: unknown, { params = {}, query = {}, schemas = {} }: Sent): string[] {
  for (const [place, fields, schema] of [
    ["path", params, schemas.params],
    ["query", query, schemas.query],
  ] as const) {
    const isMeant = (field: string) =>
      Number(fields[field]) === value && isOutOfBounds(value, schema?.properties?.[field]);
    const name = Object.keys(fields).find(isMeant);
    if (name !== undefined) return [place, name];
  }
  return ["query"];
}

function isOutOfBounds(value: number, { anyOf = [] }: Schema = {}): boolean {
  const integer = anyOf.find(({ type }) => type === "integer");
  if (integer === undefined) return false;
  const { minimum = -Infinity, maximum = Infinity } = integer;
  return !Number.isInteger(value) || value < minimum || value > maximum;
}

interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Problem {
  readonly message?: string;
  readonly value?: unknown;
  readonly schema?: Schema;
  /** What is wrong by each choice of a union. */
  readonly errors?: readonly Iterable<Problem>[];
}

function describe(problem: Problem): Pick<FieldError, "msg" | "type"> {
  if (problem.value === undefined) return { msg: "Field required", type: "missing" };
  const { schema = {} } = problem;
  const { anyOf = [] } = schema;
  // Of a choice between text and integer the text is how the integer comes in an address.
  const choice = anyOf.findIndex(({ type }) => type !== "string");
  if (choice !== -1) {
    const { type = "value" } = anyOf[choice] as Schema;
    const [meant] = problem.errors?.[choice] ?? [];
    return meant && isOfType(problem.value, type) ? describe(meant) : { msg: `Expected ${type}`, type: `${type}_type` };
  }
  const told = isText(schema)
    ? textProblem(schema, problem.value)
    : schema.enum
      ? `Expected one of ${schema.enum.join(", ")}`
      : problem.message;
  return { msg: told ?? "Invalid value", type: "value_error" };
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  return typeof value === (type === "integer" ? "number" : type);
}
