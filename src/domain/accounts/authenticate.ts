import { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import { requireUnfrozenAccount } from "../model/freeze.ts";
import type { User } from "../model/user.ts";
import type { Session } from "../ports/store/sessions.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { MINUTE } from "../timestamp.ts";
import { secretPrefix } from "../tokens/secret.ts";

export interface AuthenticatePorts {
  readonly store: Pick<Store, "sessions" | "tokens">;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** "Last used" has a precision of a minute, so that a busy credential causes one write per minute. */
const TOUCH_INTERVAL = MINUTE;

/**
 * Returns the caller of a credential. Throws `unauthenticated` if it is malformed, unknown, revoked or expired,
 * always with the same message, and `forbidden` if the account is frozen. The look-up is by hash, so that its timing
 * reveals nothing about the secret.
 */
export async function authenticate(ports: AuthenticatePorts, secret: string): Promise<Caller> {
  const prefix = secretPrefix(secret);
  const caller =
    prefix === "vts" ? await sessionCaller(ports, secret) : prefix === "vtd" ? await tokenCaller(ports, secret) : null;
  if (caller === null) throw unauthenticated("the credential is unknown, revoked or expired");
  return caller;
}

export function unauthenticated(why: string): DomainError {
  return new DomainError("unauthenticated", `authentication is required: ${why}`);
}

/** A valid session. */
export interface SessionInForce {
  readonly user: User;
  /** When it expires if it is not used until then. */
  readonly until: number;
}

/** Returns the session of a token from an earlier sign-in; null if it has ended or the account is frozen. */
export async function findSessionInForce(
  { store, clock }: Pick<AuthenticatePorts, "clock"> & { readonly store: Pick<Store, "sessions"> },
  sessionId: number,
): Promise<SessionInForce | null> {
  const found = await store.sessions.find(sessionId);
  if (!found || !isSessionValid(found.session, clock.now()) || found.user.frozen) return null;
  const { expiresAt, lastUsedAt, idleLimit } = found.session;
  return { user: found.user, until: Math.min(expiresAt, lastUsedAt + idleLimit) };
}

/** Returns whether a session is valid: within its idle limit and its lifetime. */
export function isSessionValid(session: Pick<Session, "expiresAt" | "lastUsedAt" | "idleLimit">, now: number): boolean {
  return now < session.expiresAt && now < session.lastUsedAt + session.idleLimit;
}

async function sessionCaller({ store, clock, secrets }: AuthenticatePorts, secret: string): Promise<Caller | null> {
  const found = await store.sessions.findByHash(secrets.sha256(secret));
  const now = clock.now();
  if (!found || !isSessionValid(found.session, now)) return null;
  requireUnfrozenAccount(found.user.frozen);
  if (now - found.session.lastUsedAt >= TOUCH_INTERVAL) await store.sessions.touch(found.session.id, now);
  const { id: sessionId, signedInAt, limit } = found.session;
  const { user } = found;
  return limit === null
    ? { kind: "session", user, sessionId, at: now, signedInAt }
    : { kind: "limited_session", user, sessionId, at: now, limit };
}

async function tokenCaller({ store, clock, secrets }: AuthenticatePorts, secret: string): Promise<Caller | null> {
  const token = await store.tokens.findByHash(secrets.sha256(secret));
  const now = clock.now();
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) return null;
  requireUnfrozenAccount(token.frozen);
  if (now - (token.lastUsedAt ?? 0) >= TOUCH_INTERVAL) await store.tokens.touch(token.id, now);
  const { id: tokenId, name: tokenName, permission, siteId, siteName, ownerId, makerId, makerRole } = token;
  return { kind: "deployment_token", tokenId, tokenName, permission, siteId, siteName, ownerId, makerId, makerRole };
}
