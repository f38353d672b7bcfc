import { findOrInvite, MAX_INVITED_READERS } from "../accounts/invitations.ts";
import { DomainError } from "../errors.ts";
import { requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import { requireMayMakePublic, type SitePolicy } from "../model/site-policy.ts";
import type { Identity } from "../model/user.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Reader } from "../ports/store/readers.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

export async function findAccess(
  ports: { store: Pick<Store, "sites"> },
  caller: Caller,
  siteName: string,
): Promise<{ readonly private: boolean }> {
  return { private: (await requireSite(ports.store, caller, siteName, "read_access")).private };
}

/** Makes a site private or public, effective with the next request. Idempotent. */
export async function setAccess(
  ports: { store: Pick<Store, "sites">; policy: SitePolicy },
  caller: Caller,
  siteName: string,
  isPrivate: boolean,
): Promise<{ readonly private: boolean }> {
  const site = await requireSite(ports.store, caller, siteName, "change_access");
  requireUnfrozenSite(site);
  if (site.private && !isPrivate) requireMayMakePublic(ports.policy, requireSession(caller).user);
  if (site.private !== isPrivate) await ports.store.sites.setPrivate(site.id, isPrivate);
  return { private: isPrivate };
}

interface LookUpPorts {
  readonly store: Pick<Store, "sites">;
  readonly provider: IdentityProvider;
}

/** Returns a site's readers by login, also while it is public. */
export async function listReaders(
  ports: { store: Pick<Store, "sites" | "readers"> },
  caller: Caller,
  siteName: string,
): Promise<readonly Reader[]> {
  const site = await requireSite(ports.store, caller, siteName, "manage_readers");
  return ports.store.readers.list(site.id);
}

/**
 * Adds a reader to a private site. Idempotent. Throws `invalid` for an unusable login,
 * `not_found` if the provider does not know it, `site_not_private`, `provider_lookup_failed`, and `conflict` if
 * too many of the site's readers have never signed in.
 * The provider is called last, so that requests that cannot succeed do not reach it.
 */
export async function addReader(
  ports: LookUpPorts & { store: Pick<Store, "sites" | "readers">; clock: Clock },
  caller: Caller,
  siteName: string,
  login: string,
): Promise<Reader> {
  requireLogin(ports.provider, login);
  const site = await requireSite(ports.store, caller, siteName, "manage_readers");
  requireUnfrozenSite(site);
  if (!site.private) throw siteNotPrivate();
  const identity = (await findOrInvite(ports.provider, login)) ?? unknownUser(ports.provider, login);
  const reader = await ports.store.readers.add(site.id, identity, ports.clock.now());
  if (reader === "not_private") throw siteNotPrivate();
  if (reader === "too_many_invited") throw tooManyInvited();
  return reader;
}

/** Removes a reader. Their next request is refused, also on an open connection. */
export async function removeReader(
  ports: { store: Pick<Store, "sites" | "readers"> },
  caller: Caller,
  siteName: string,
  readerId: number,
): Promise<void> {
  const site = await requireSite(ports.store, caller, siteName, "manage_readers");
  requireUnfrozenSite(site);
  const outcome = await ports.store.readers.delete(site.id, readerId);
  if (outcome === "not_private") throw siteNotPrivate();
  if (outcome === "missing") throw new DomainError("not_found", "the site has no such reader");
}

/** Looks up a login, so that an owner can check whom they add. */
export async function findProviderUser(
  ports: LookUpPorts,
  caller: Caller,
  siteName: string,
  login: string,
): Promise<Identity> {
  requireLogin(ports.provider, login);
  await requireSite(ports.store, caller, siteName, "manage_readers");
  return (await ports.provider.findByLogin(login)) ?? unknownUser(ports.provider, login);
}

// --- internal ---

function requireLogin(provider: IdentityProvider, login: string): void {
  if (!provider.isLogin(login)) {
    throw new DomainError("invalid", `the provider username is invalid: ${JSON.stringify(login.slice(0, 80))}`);
  }
}

function tooManyInvited(): DomainError {
  const count = `${MAX_INVITED_READERS} readers of this site have never signed in`;
  return new DomainError("conflict", `${count}: wait until some of them have, or remove those who will not`);
}

function unknownUser({ method, label }: IdentityProvider, login: string): never {
  const shown = JSON.stringify(login);
  const problem =
    method === "password" ? `there is no account ${shown} on this server` : `${label} knows nobody called ${shown}`;
  throw new DomainError("not_found", `the provider user does not exist: ${problem}`);
}

function siteNotPrivate(): DomainError {
  return new DomainError("site_not_private", "site is not private: make it private first");
}
