import { type AuthenticatePorts, authenticate } from "../accounts/authenticate.ts";
import { newCode } from "../accounts/sealed.ts";
import { AGENT_SESSION_LIFETIME, type Agent, type Attempt, type RedeemRefusal } from "../model/agent.ts";
import { type Caller, credentialId } from "../model/caller.ts";
import { requireUnfrozenAccount } from "../model/freeze.ts";
import { agentScopeProblem, type SessionLimit, scopeOf } from "../model/scope.ts";
import type { AgentSession } from "../ports/store/agents.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { newSecret, secretPrefix } from "../tokens/secret.ts";
import { AGENT_IDLE_LIMIT, accessTokenEnd } from "./decide.ts";

interface Ports {
  readonly store: Pick<Store, "agents">;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** The errors of RFC 6749 section 5.2 and RFC 8707 section 2. */
type TokenError = "invalid_request" | "invalid_grant" | "unsupported_grant_type" | "invalid_scope" | "invalid_target";

export interface TokenRefusal {
  readonly error: TokenError;
  readonly detail: string;
}

export interface GrantedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds until the access token expires. */
  readonly expiresIn: number;
  readonly scope: string;
}

interface CodeExchange extends Pick<Attempt, "clientId" | "redirectUri" | "resource"> {
  readonly code: string;
  readonly verifier: string;
  readonly address: string;
}

/** RFC 7636 section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** Redeems a code for tokens. */
export async function exchangeCode(ports: Ports, asked: CodeExchange): Promise<GrantedTokens | TokenRefusal> {
  const { store, clock, secrets } = ports;
  const { code, clientId, redirectUri, verifier, resource, address } = asked;
  if (!VERIFIER.test(verifier)) return refused("invalid_grant", "code_verifier has 43 to 128 unreserved characters");
  const now = clock.now();
  const family = newSecret(secrets, "vtr");
  const tokens = newTokens(secrets, family);
  const challenge = Uint8Array.fromHex(secrets.sha256(verifier)).toBase64({ alphabet: "base64url", omitPadding: true });
  const session = {
    tokenHash: secrets.sha256(family),
    createdAt: now,
    expiresAt: now + AGENT_SESSION_LIFETIME,
    idleLimit: AGENT_IDLE_LIMIT,
    address,
    signedInAt: null,
  };
  const attempt = { clientId, redirectUri, challenge, resource, now };
  const result = await store.agents.redeem(secrets.sha256(code), attempt, { ...tokens.hashes, session });
  return "granted" in result ? grantedTokens(tokens, result.granted, now) : CODE_REFUSALS[result.refusal];
}

interface Refreshing {
  readonly refreshToken: string;
  readonly clientId: string;
  readonly resource: string | null;
  /** Null where the client does not narrow it. */
  readonly scope: string | null;
}

/** Replaces the tokens of an agent. `mcp` is the only resource of this server. */
export async function refreshTokens(
  ports: Ports,
  { refreshToken, clientId, resource, scope }: Refreshing,
  mcp: string,
): Promise<GrantedTokens | TokenRefusal> {
  const { store, clock, secrets } = ports;
  if (resource !== null && resource !== mcp) return refused("invalid_target", `send resource=${mcp}`);
  const problem = scope === null ? null : agentScopeProblem(scope);
  if (problem !== null) return refused("invalid_scope", problem);
  const family = familyOf(refreshToken);
  if (family === null) return ENDED;
  const now = clock.now();
  const tokens = newTokens(secrets, family);
  const current = { tokenHash: secrets.sha256(family), refreshHash: secrets.sha256(refreshToken), clientId };
  const result = await store.agents.refresh(current, tokens.hashes, now);
  // The base URL may have changed since the consent: the access token would be refused.
  const isGood = "granted" in result && result.granted.resource === mcp;
  return isGood ? grantedTokens(tokens, result.granted, now) : ENDED;
}

/**
 * Ends the session of an access token or a refresh token of an agent, and nothing for any other token. Returns false if
 * there was none.
 */
export async function revokeToken(ports: Ports, token: string, clientId: string | null): Promise<boolean> {
  const { store, secrets } = ports;
  const family = familyOf(token);
  if (family !== null) return store.agents.end({ tokenHash: secrets.sha256(family) }, clientId);
  return secretPrefix(token) === "vts" && store.agents.end({ accessHash: secrets.sha256(token) }, clientId);
}

/** A caller over MCP, with the program that it uses. */
export interface AgentCaller {
  readonly caller: Caller;
  readonly agent: Agent;
}

/**
 * Returns the caller of a credential at /mcp: the access token of an agent, which is valid nowhere else, a session or a
 * deployment token. Throws `unauthenticated`, and `forbidden` if the account is frozen.
 */
export async function authenticateAgent(
  ports: Ports & AuthenticatePorts,
  secret: string,
  mcp: string,
): Promise<AgentCaller> {
  const { store, clock, secrets } = ports;
  const isToken = secretPrefix(secret) === "vts";
  const found = isToken ? await store.agents.findByAccessToken(secrets.sha256(secret), clock.now()) : null;
  if (found === null || found.resource !== mcp) return withOwnCredential(await authenticate(ports, secret));
  const { session, user } = found;
  requireUnfrozenAccount(user.frozen);
  const caller = {
    kind: "limited_session",
    user,
    sessionId: session.id,
    at: clock.now(),
    limit: session.limit as SessionLimit,
  } as const;
  return { caller, agent: { id: `client ${session.clientId} of ${user.id}`, name: session.clientName } };
}

/** Returns the program that has a credential, under the name that it gives itself. */
export function agentWith(caller: Caller, name: string): Agent {
  return { id: credentialId(caller), name };
}

// --- internal ---

/** Without an agent of its own, the credential is the program. */
function withOwnCredential(caller: Caller): AgentCaller {
  const name = caller.kind === "deployment_token" ? caller.tokenName : "a session token";
  return { caller, agent: agentWith(caller, name) };
}

const SEPARATOR = ".";

/**
 * A refresh token is the secret of its session, which stays, and a part that changes with each refresh. The server can
 * so tell a token that was replaced from one that never existed, without keeping those that were replaced.
 */
function newTokens(secrets: Secrets, family: string) {
  const accessToken = newSecret(secrets, "vts");
  const refreshToken = `${family}${SEPARATOR}${newCode(secrets)}`;
  const hashes = { refreshHash: secrets.sha256(refreshToken), accessHash: secrets.sha256(accessToken) };
  return { accessToken, refreshToken, hashes };
}

function familyOf(refreshToken: string): string | null {
  const [family = "", ...parts] = refreshToken.split(SEPARATOR);
  return parts.length === 1 && secretPrefix(family) === "vtr" ? family : null;
}

function grantedTokens(
  { accessToken, refreshToken }: ReturnType<typeof newTokens>,
  { session }: AgentSession,
  now: number,
): GrantedTokens {
  const expiresIn = Math.floor((accessTokenEnd(now, session) - now) / 1000);
  return { accessToken, refreshToken, expiresIn, scope: scopeOf(session.limit as SessionLimit) };
}

function refused(error: TokenError, detail: string): TokenRefusal {
  return { error, detail };
}

const ENDED = refused(
  "invalid_grant",
  "the refresh token is unknown, expired or was used before: ask for consent again",
);

const CODE_REFUSALS: Readonly<Record<RedeemRefusal, TokenRefusal>> = {
  unknown: refused("invalid_grant", "the code is unknown or expired: ask for consent again"),
  replayed: refused("invalid_grant", "the code was used before, so that its access has ended: ask for consent again"),
  mismatch: refused("invalid_grant", "client_id, redirect_uri or code_verifier is not that of the code"),
  wrong_resource: refused("invalid_target", "the code is for another resource"),
};
