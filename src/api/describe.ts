import { ErrorResponse } from "./schemas/errors.ts";

/** What each error status of an operation means there; the key is the status. */
type Errors = Partial<Record<400 | 401 | 403 | 404 | 408 | 409 | 413 | 429 | 502 | 503 | 507, string>>;

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: string[];
  /** Null for operations that need no credential. */
  readonly credential?: "session" | "any" | null;
  readonly errors?: Errors;
  /** The media type of an answer that is not JSON. */
  readonly produces?: string;
  /** Whether the body may be a form as well as JSON. */
  readonly takesForm?: boolean;
}

/**
 * Where an operation keeps answers that are in none of its schemas until the document is made: under `responses` they
 * would take the place of those that the plugin finds there.
 */
export const FURTHER_RESPONSES = "x-further-responses";

/** Where an operation says until then that its body may be a form. */
export const TAKES_FORM = "x-takes-form";

/** What can be wrong with any credential, whatever it is used for. */
const OF_EVERY_CREDENTIAL: Errors = {
  401: "authentication is required",
  403: "account is frozen: ask the operator",
  429: "too many calls with this credential: slow down",
};

/** The errors of an operation on a site, which is its owner's alone. */
export const OWNED_SITE = { 403: "site ownership is required", 404: "site does not exist" } satisfies Errors;

/** Returns an operation's part of the OpenAPI document: errors, credential, and the validation error that all share. */
export function describe(operation: Operation) {
  const { summary, description, tags, credential = "session", errors = {}, produces, takesForm } = operation;
  const all: Errors = credential === null ? errors : { ...OF_EVERY_CREDENTIAL, ...errors };
  const responses = Object.entries(all).map(([status, meaning]) => [
    status,
    {
      description: meaning,
      content: { "application/json": { schema: ErrorResponse, example: { detail: meaning } } },
    },
  ]);
  return {
    summary,
    ...(description ? { description } : {}),
    tags,
    security: credential === null ? [] : [{ [credential === "any" ? "token" : "session"]: [] }],
    ...(takesForm ? { [TAKES_FORM]: true } : {}),
    [FURTHER_RESPONSES]: {
      ...(produces ? { 200: { content: { [produces]: { schema: { type: "string", format: "binary" } } } } } : {}),
      ...Object.fromEntries(responses),
    },
  };
}
