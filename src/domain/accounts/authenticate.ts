import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Session } from "../ports/store/sessions.ts";
import type { Store } from "../ports/store.ts";
import { requireUnfrozenAccount } from "../sites/freeze.ts";
import { MINUTE } from "../timestamp.ts";
import { secretPrefix } from "../tokens/secret.ts";
import type { Caller } from "./caller.ts";

export interface AuthenticatePorts {
  readonly store: Pick<Store, "sessions" | "tokens">;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** "Last used" is kept to the minute, so that a busy credential costs one write a minute and not one a request. */
const TOUCH_INTERVAL = MINUTE;

/**
 * Returns who a secret stands for; throws `unauthenticated` for one that is malformed, unknown, revoked or expired,
 * in the same words, and `forbidden` where the operator froze the account behind it. The look-up is by hash, so its time tells nothing about the secret.
 */
export async function authenticate(ports: AuthenticatePorts, secret: string): Promise<Caller> {
  const prefix = secretPrefix(secret);
  const caller =
    prefix === "vts" ? await sessionCaller(ports, secret) : prefix === "vtd" ? await tokenCaller(ports, secret) : null;
  if (caller === null) throw unauthenticated("the credential is unknown, revoked or expired");
  return caller;
}

/** Returns the refusal; `why` follows the specification's own name for the error. */
export function unauthenticated(why: string): DomainError {
  return new DomainError("unauthenticated", `authentication is required: ${why}`);
}

/** Whether a session still holds: not longer unused than its idle limit, and not past its end. */
function sessionHolds(session: Session, now: number): boolean {
  return now < session.expiresAt && now < session.lastUsedAt + session.idleLimit;
}

async function sessionCaller({ store, clock, secrets }: AuthenticatePorts, secret: string): Promise<Caller | null> {
  const found = await store.sessions.findByHash(secrets.sha256(secret));
  const now = clock.now();
  if (!found || !sessionHolds(found.session, now)) return null;
  requireUnfrozenAccount(found.user.frozen);
  if (now - found.session.lastUsedAt >= TOUCH_INTERVAL) await store.sessions.touch(found.session.id, now);
  const { id: sessionId, signedInAt } = found.session;
  return { kind: "session", user: found.user, sessionId, signedInAt };
}

async function tokenCaller({ store, clock, secrets }: AuthenticatePorts, secret: string): Promise<Caller | null> {
  const token = await store.tokens.findByHash(secrets.sha256(secret));
  const now = clock.now();
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) return null;
  requireUnfrozenAccount(token.ownerFrozen);
  if (now - (token.lastUsedAt ?? 0) >= TOUCH_INTERVAL) await store.tokens.touch(token.id, now);
  const { id: tokenId, name: tokenName, permission, siteId, siteName, ownerId } = token;
  return { kind: "deployment_token", tokenId, tokenName, permission, siteId, siteName, ownerId };
}
