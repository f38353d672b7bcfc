import type { AgentClient } from "../model/agent.ts";
import { agentScopeProblem, parseAgentScope, type RequestedScope } from "../model/scope.ts";
import { isRegisteredRedirect } from "./redirects.ts";

/** An error that is sent to the redirect URI of the client (RFC 6749 section 4.1.2.1, RFC 8707 section 2). */
type AuthorizationError =
  | "invalid_request"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "access_denied";

/** Where the response to a request is sent. */
interface AnswerTo {
  readonly redirectUri: string;
  readonly state: string | null;
}

/** A request of a known client that can be shown to a person. */
export interface AuthorizationRequest extends AnswerTo {
  readonly client: AgentClient;
  readonly challenge: string;
  readonly requested: RequestedScope;
}

type JudgedRequest =
  /** The redirect URI is not the client's: the person sees the error, and nothing is sent to it. */
  | { readonly kind: "stray"; readonly detail: string }
  | {
      readonly kind: "refused";
      readonly answerTo: AnswerTo;
      readonly error: AuthorizationError;
      readonly detail: string;
    }
  | { readonly kind: "valid"; readonly request: AuthorizationRequest };

/** BASE64URL of a SHA-256. */
const CHALLENGE = /^[\w-]{43}$/;

/** Judges a request of a client for access to `resource`. */
export function judgeRequest(query: URLSearchParams, client: AgentClient, resource: string): JudgedRequest {
  const redirectUri = only(query, "redirect_uri");
  if (redirectUri === null || !isRegisteredRedirect(client.redirectUris, redirectUri)) {
    return { kind: "stray", detail: "this program names a redirect URI that it did not register" };
  }
  const answerTo = { redirectUri, state: only(query, "state") };
  const refused = (error: AuthorizationError, detail: string): JudgedRequest => ({
    kind: "refused",
    answerTo,
    error,
    detail,
  });
  const twice = SENT_ONCE.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return refused("invalid_request", `send ${twice} once`);
  if (query.get("response_type") !== "code") return refused("unsupported_response_type", "send response_type=code");
  if (query.get("code_challenge_method") !== "S256")
    return refused("invalid_request", "send code_challenge_method=S256");
  const challenge = query.get("code_challenge") ?? "";
  if (!CHALLENGE.test(challenge)) return refused("invalid_request", "send code_challenge, the SHA-256 in base64url");
  const resources = query.getAll("resource");
  if (resources.length !== 1 || resources[0] !== resource)
    return refused("invalid_target", `send resource=${resource}`);
  const scope = query.get("scope") ?? "";
  const problem = agentScopeProblem(scope);
  if (problem !== null) return refused("invalid_scope", problem);
  return { kind: "valid", request: { ...answerTo, client, challenge, requested: parseAgentScope(scope) } };
}

/** Returns the URL of the response, with its issuer (RFC 9207) and the client's state. */
export function answerUrl(
  { redirectUri, state }: AnswerTo,
  issuer: string,
  answer: { readonly code: string } | { readonly error: AuthorizationError; readonly error_description: string },
): string {
  const fields = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${fields}`;
}

// --- internal ---

const SENT_ONCE = ["response_type", "code_challenge", "code_challenge_method", "scope", "state"];

/** Returns a parameter that occurs once; null if it is absent, or given twice. */
function only(query: URLSearchParams, name: string): string | null {
  const [value = null, ...others] = query.getAll(name);
  return others.length === 0 ? value : null;
}
