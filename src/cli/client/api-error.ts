import { Failure } from "../errors.ts";
import { printable } from "../terminal/style.ts";

/** The appliance refused. The message is its own `detail`, the advice what a person at a terminal can do about it. */
export class ApiError extends Failure {
  override readonly name = "ApiError";

  constructor(
    readonly httpStatus: number,
    detail: string,
    advice?: string,
  ) {
    super(detail, advice);
  }
}

/** Returns the error for an answer that is no success, whatever its body is. */
export function apiError(httpStatus: number, body: string, retryAfter: string | null, server: string): ApiError {
  const detail = detailOf(body);
  if (detail === null)
    return new ApiError(httpStatus, `${server} answered with status ${httpStatus}`, NOT_AN_APPLIANCE);
  return new ApiError(httpStatus, detail, adviceFor(httpStatus, detail, retryAfter, server));
}

const NOT_AN_APPLIANCE = "That is not an appliance's answer: check --server, and any proxy in front of it.";

/** A `detail` is text, or for validation errors a list of fields with what is wrong about each. */
function detailOf(body: string): string | null {
  const answer = parseJson(body);
  const detail = isObject(answer) ? answer.detail : null;
  if (typeof detail === "string") return printable(detail);
  if (!Array.isArray(detail)) return null;
  const fields = detail.filter(isObject).map(({ loc, msg }) => {
    const place = Array.isArray(loc) ? loc.slice(1).join(".") : "";
    return place ? `${place}: ${msg}` : String(msg);
  });
  return printable(fields.join("; ") || "the request is not valid");
}

function adviceFor(httpStatus: number, detail: string, retryAfter: string | null, server: string): string | undefined {
  switch (httpStatus) {
    case 401:
      return `Sign in: vitrine login --server ${server}, or check VITRINE_TOKEN and --token.`;
    case 403:
      if (!OTHER_CREDENTIAL.test(detail)) return undefined;
      return "The credential is for something else: check --token and VITRINE_TOKEN, or sign in as somebody else.";
    case 404:
      return MISSING.find(([pattern]) => pattern.test(detail))?.[1];
    case 408:
      return "Try again on a faster line, or ask the operator to lower min-upload-rate.";
    case 413:
      // An owner's own limit says what makes room.
      if (detail.includes("ask the operator")) return undefined;
      return "Leave files out with .vitrineignore, or ask the operator to raise the limit.";
    case 429:
    case 502:
    case 503:
      // What only the operator can mend does not mend itself.
      if (detail.includes("operator")) return undefined;
      return retryAfter ? `Try again in ${retryAfter} s.` : "Try again in a while.";
    case 500:
      return "The appliance's log says why; ask the operator.";
    case 507:
      return "The appliance's disk is full; ask the operator.";
    default:
      return undefined;
  }
}

/** By the detail of a 403, what another credential would mend: neither a freeze nor a name that nobody may have yet. */
const OTHER_CREDENTIAL =
  /^(site ownership is required|a session token is required|credential cannot deploy this site)(?!.*choose another name)/;

/** By the detail of a 404, where one can look for what is there. */
const MISSING: readonly (readonly [detail: RegExp, advice: string])[] = [
  [/^site does not exist/, "vitrine sites list shows your sites."],
  [/ has no deployment /, "vitrine deployments list SITE shows what there is."],
  [/^domain claim does not exist/, "vitrine domains list SITE shows what there is."],
  [/^webhook does not exist/, "vitrine webhooks list SITE shows what there is."],
  [/^delivery does not exist/, "vitrine webhooks deliveries SITE ID shows what there is."],
  [/ has no such reader/, "vitrine readers list SITE shows who there is."],
  [/^the deployment token does not exist/, "vitrine tokens list shows yours."],
  [
    /^the provider user does not exist/,
    "Check the login. Where accounts are the appliance's own, its operator adds people: vitrine users add LOGIN.",
  ],
];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
