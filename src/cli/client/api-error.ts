import { isJsonObject, parseJsonObject } from "../../domain/json.ts";
import { printable } from "../../domain/printable.ts";
import { formatWaitingTime } from "../../domain/waiting-time.ts";
import { Failure } from "../terminal/errors.ts";
import { inPlainWords } from "./plain-words.ts";

/** The server refused a request. The message is its `detail`; the advice is for a person at a terminal. */
export class ApiError extends Failure {
  override readonly name = "ApiError";

  constructor(
    readonly httpStatus: number,
    detail: string,
    advice?: string,
    /** The invalid fields of the request, of which the message consists; empty for other errors. */
    readonly fields: readonly InvalidField[] = [],
  ) {
    super(detail, advice);
  }
}

interface InvalidField {
  /** Its name in the API, such as `expires_in`; empty for the request as a whole. */
  readonly name: string;
  readonly problem: string;
}

/** Returns the error with other names of its fields; `rename` returns null for a field that is not named. */
export function renameFields(error: ApiError, rename: (name: string) => string | null): ApiError {
  if (error.fields.length === 0) return error;
  const fields = error.fields.map(({ name, problem }) => ({ name: rename(name) ?? "", problem }));
  return new ApiError(error.httpStatus, describe(fields), error.advice, fields);
}

/** Returns the error for an unsuccessful response, whatever its body is. */
export function apiError(httpStatus: number, body: string, retryAfter: string | null, server: string): ApiError {
  const told = parseJsonObject(body)?.detail;
  const fields = Array.isArray(told) ? fieldsOf(told) : null;
  const detail = fields ? describe(fields) : typeof told === "string" ? printable(told) : null;
  if (detail === null) return new ApiError(httpStatus, `${server} answered with status ${httpStatus}`, NOT_VITRINE);
  const plain = inPlainWords(detail);
  if (plain) return new ApiError(httpStatus, plain.message, plain.advice);
  return new ApiError(httpStatus, detail, adviceFor(httpStatus, detail, retryAfter, server), fields ?? []);
}

const NOT_VITRINE = "Check --server, and any proxy in front of it: this is not the response of a Vitrine server.";

/** Returns the fields in the `detail` of a validation error. */
function fieldsOf(detail: readonly unknown[]): readonly InvalidField[] {
  return detail.filter(isJsonObject).map(({ loc, msg }) => ({
    name: Array.isArray(loc) ? loc.slice(1).join(".") : "",
    problem: String(msg),
  }));
}

function describe(fields: readonly InvalidField[]): string {
  const problems = fields.map(({ name, problem }) => (name === "" ? problem : `${name}: ${problem}`));
  return printable(problems.join("; ") || "the request is not valid");
}

function adviceFor(httpStatus: number, detail: string, retryAfter: string | null, server: string): string | undefined {
  switch (httpStatus) {
    case 401:
      return `Sign in: vitrine login --server ${server}, or check VITRINE_TOKEN and --token.`;
    case 404:
      return MISSING.find(([pattern]) => pattern.test(detail))?.[1];
    case 408:
      return "Try again on a faster line, or ask the operator to lower min-upload-rate.";
    case 413:
      // The message about a quota already says how to free space.
      if (detail.includes("ask the operator")) return undefined;
      return "Exclude files with .vitrineignore, or ask the operator to raise the limit.";
    case 429:
    case 502:
    case 503:
      // Retrying does not help with a problem that only the operator can fix.
      if (detail.includes("operator")) return undefined;
      return retryAfter ? `Try again in ${formatWaitingTime(Number(retryAfter))}.` : "Try again later.";
    case 500:
      return "See the server's log, or ask the operator.";
    case 507:
      return "The server's disk is full; ask the operator.";
    default:
      return undefined;
  }
}

/** The command that lists what exists, by the detail of a 404. */
const MISSING: readonly (readonly [detail: RegExp, advice: string])[] = [
  [/^site does not exist/, "See your sites: vitrine sites list"],
  [/ has no deployment /, "See its deployments: vitrine deployments list SITE"],
  [/ has no alias /, "See its aliases: vitrine aliases list SITE"],
  [/^share does not exist/, "See its shares: vitrine shares list SITE"],
  [/^publisher does not exist/, "See its publishers: vitrine publishers list SITE"],
  [/^domain claim does not exist/, "See its domains: vitrine domains list SITE"],
  [/^webhook does not exist/, "See its webhooks: vitrine webhooks list SITE"],
  [/^delivery does not exist/, "See its deliveries: vitrine webhooks deliveries SITE ID"],
  [/ has no such reader/, "See its readers: vitrine readers list SITE"],
  [/^the deployment token does not exist/, "See your tokens: vitrine tokens list"],
];
