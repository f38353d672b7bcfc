import { DomainError } from "../errors.ts";
import { type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import { requireChangeableSite, requireOwnRole, requireSession, roleOf } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { TokenPermission } from "../model/permission.ts";
import { may, type Role } from "../model/role.ts";
import type { DeploymentToken, NewDeploymentToken } from "../ports/store/tokens.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { DAY, SECOND } from "../timestamp.ts";
import { newSecret } from "./secret.ts";

export const DEFAULT_TOKEN_NAME = "Deployment token";
/** In characters. */
export const MAX_TOKEN_NAME_LENGTH = 100;
export const MIN_TOKEN_LIFETIME_MS = SECOND;
export const MAX_TOKEN_LIFETIME_MS = 3650 * DAY;

interface TokenRequest {
  readonly siteName: string;
  readonly name: string;
  readonly permission: TokenPermission;
  /** In milliseconds; null for a token that never expires. */
  readonly lifetime: number | null;
}

/** A new token, with its secret, which cannot be read again. */
export interface CreatedToken extends Pick<NewDeploymentToken, "id" | "name" | "permission" | "expiresAt"> {
  readonly siteName: string;
  readonly token: string;
}

/**
 * Creates a token that may deploy to one site of the caller. Throws `forbidden`, `not_found` or `too_many_requests`.
 */
export async function createToken(
  ports: {
    store: Pick<Store, "sites" | "tokens" | "rateLimits">;
    clock: Clock;
    secrets: Secrets;
    rates: Pick<Rates, "token">;
  },
  caller: Caller,
  request: TokenRequest,
): Promise<CreatedToken> {
  const { store, clock, secrets } = ports;
  const site = await requireChangeableSite(store, caller, request.siteName, "make_tokens");
  await requireOwnRole(store, caller, site, "make_tokens");
  const createdAt = clock.now();
  await takeFromLimit(ports, "token", String(site.ownerId), createdAt);
  const token = newSecret(secrets, "vtd");
  const id = secrets.random(10).toHex();
  const tokenHash = secrets.sha256(token);
  const { name, permission, lifetime } = request;
  const expiresAt = lifetime === null ? null : createdAt + lifetime;
  const { id: makerId } = requireSession(caller).user;
  await store.tokens.add({ id, siteId: site.id, makerId, name, permission, tokenHash, createdAt, expiresAt });
  return { id, name, siteName: site.name, permission, expiresAt, token };
}

/** Returns the deployment tokens that the caller may revoke, newest first. */
export async function listTokens(
  ports: { store: Pick<Store, "tokens"> },
  caller: Caller,
): Promise<readonly DeploymentToken[]> {
  const { user, at } = requireSession(caller);
  return (await ports.store.tokens.listOfMember(user.id, at)).filter((token) => mayRevoke(token.role, token, user));
}

/**
 * Revokes a token from the next request on, and returns the name of its site. Throws the same `not_found` for a token
 * that the caller may not revoke as for an unknown one.
 */
export async function revokeToken(
  { store }: { store: Pick<Store, "sites" | "tokens"> },
  caller: Caller,
  id: string,
): Promise<string> {
  const { user } = requireSession(caller);
  const token = await store.tokens.find(id);
  const role = token && (await roleOf(store, caller, { id: token.siteId, ownerId: token.ownerId }));
  const isRevoked = token && mayRevoke(role, token, user) && (await store.tokens.delete(id));
  if (!isRevoked) throw new DomainError("not_found", "the deployment token does not exist");
  return token.siteName;
}

// --- internal ---

/** Maintainers may revoke every token of a site, deployers those that they made. */
function mayRevoke(role: Role | null, { makerId }: DeploymentToken, user: { readonly id: number }): boolean {
  return may(role, makerId === user.id ? "make_tokens" : "manage_tokens");
}
