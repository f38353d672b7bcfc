import { findOrInvite } from "../accounts/invitations.ts";
import { DomainError } from "../errors.ts";
import { type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import { requireSession } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { isGroupName, MAX_GROUP_NAME_LENGTH } from "../model/group.ts";
import type { Identity } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

// What adding people and groups to a site asks of the identity provider.

export interface LookUpPorts {
  readonly store: Pick<Store, "rateLimits">;
  readonly provider: IdentityProvider;
  readonly clock: Clock;
  readonly rates: Pick<Rates, "lookup">;
}

/** Throws `invalid` for a login that the provider cannot have. */
export function requireLogin(provider: IdentityProvider, login: string): void {
  if (provider.isLogin(login)) return;
  throw new DomainError("invalid", `the provider username is invalid: ${JSON.stringify(login.slice(0, 80))}`);
}

/** Throws `invalid` for a text that cannot be the name of a group. */
export function requireGroupName(name: string): void {
  if (isGroupName(name)) return;
  throw new DomainError("invalid", `the name of a group has 1 to ${MAX_GROUP_NAME_LENGTH} printable characters`);
}

/** Throws `conflict` if the provider tells no groups. */
export function requireGroups({ name, groupsClaim }: IdentityProvider): void {
  if (name !== "oidc") {
    throw new DomainError("conflict", "groups come from an OpenID Connect provider, and this server uses another one");
  }
  if (groupsClaim == null) {
    const advice = "the operator sets --oidc-groups-claim to the claim that names them";
    throw new DomainError("conflict", `this server does not read groups from its provider: ${advice}`);
  }
}

/**
 * Returns the user whom the provider has under a login. Throws `not_found`, `too_many_requests` and
 * `provider_lookup_failed`.
 */
export async function lookUp(ports: LookUpPorts, caller: Caller, login: string): Promise<Identity> {
  await countLookUp(ports, caller);
  return (await ports.provider.findByLogin(login)) ?? unknownUser(ports.provider, login);
}

/** Like `lookUp`, but an unknown login is invited if the provider cannot look users up. */
export async function findPerson(ports: LookUpPorts, caller: Caller, login: string): Promise<Identity> {
  await countLookUp(ports, caller);
  return (await findOrInvite(ports.provider, login)) ?? unknownUser(ports.provider, login);
}

// --- internal ---

function countLookUp(ports: LookUpPorts, caller: Caller): Promise<void> {
  return takeFromLimit(ports, "lookup", String(requireSession(caller).user.id), ports.clock.now());
}

function unknownUser({ method, label }: IdentityProvider, login: string): never {
  const shown = JSON.stringify(login);
  const problem =
    method === "password" ? `there is no account ${shown} on this server` : `${label} knows nobody called ${shown}`;
  throw new DomainError("not_found", `the provider user does not exist: ${problem}`);
}
