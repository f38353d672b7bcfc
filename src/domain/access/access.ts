import { MAX_INVITED_READERS } from "../accounts/invitations.ts";
import { DomainError, hasMaximum } from "../errors.ts";
import { requireChangeableSite, requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { groupOfEntry } from "../model/group.ts";
import { requireMayMakePublic, type SitePolicy } from "../model/site-policy.ts";
import type { Identity } from "../model/user.ts";
import { MAX_READER_GROUPS, type Reader, type ReaderRefusal } from "../ports/store/readers.ts";
import type { Store } from "../ports/store.ts";
import { findPerson, type LookUpPorts, lookUp, requireGroupName, requireGroups, requireLogin } from "./provider.ts";

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
  const site = await requireChangeableSite(ports.store, caller, siteName, "change_access");
  if (site.private && !isPrivate) requireMayMakePublic(ports.policy, requireSession(caller).user);
  if (site.private !== isPrivate) await ports.store.sites.setPrivate(site.id, isPrivate);
  return { private: isPrivate };
}

/** Returns a site's readers by login, and then its groups, also while it is public. */
export async function listReaders(
  ports: { store: Pick<Store, "sites" | "readers"> },
  caller: Caller,
  siteName: string,
): Promise<readonly Reader[]> {
  const site = await requireSite(ports.store, caller, siteName, "manage_readers");
  return ports.store.readers.list(site.id);
}

/**
 * Adds a reader to a private site: a person, or a group by its name after `@`. Idempotent. Throws `invalid` for an
 * unusable login, `not_found` if the provider does not know it, `site_not_private`, `too_many_requests`,
 * `provider_lookup_failed`, and `conflict` for a group if the provider tells none, and above the limits.
 * The provider is called last, so that requests that cannot succeed do not reach it.
 */
export async function addReader(
  ports: LookUpPorts & { store: Pick<Store, "sites" | "readers"> },
  caller: Caller,
  siteName: string,
  login: string,
): Promise<Reader> {
  const group = groupOfEntry(login);
  if (group === null) requireLogin(ports.provider, login);
  else requireGroupName(group);
  const site = await requireChangeableSite(ports.store, caller, siteName, "manage_readers");
  if (!site.private) throw siteNotPrivate();
  if (group !== null) requireGroups(ports.provider);
  const wanted = group === null ? await findPerson(ports, caller, login) : { group };
  const reader = await ports.store.readers.add(site.id, wanted, ports.clock.now());
  if (typeof reader === "string") throw refusal(reader, site.name);
  return reader;
}

/** Removes a reader. Their next request is refused, also on an open connection. */
export async function removeReader(
  ports: { store: Pick<Store, "sites" | "readers"> },
  caller: Caller,
  siteName: string,
  readerId: number,
): Promise<void> {
  const site = await requireChangeableSite(ports.store, caller, siteName, "manage_readers");
  const outcome = await ports.store.readers.delete(site.id, readerId);
  if (outcome === "not_private") throw siteNotPrivate();
  if (outcome === "missing") throw new DomainError("not_found", "the site has no such reader");
}

/** Looks up a login, so that an owner can check whom they add. */
export async function findProviderUser(
  ports: LookUpPorts & { store: Pick<Store, "sites"> },
  caller: Caller,
  siteName: string,
  login: string,
): Promise<Identity> {
  requireLogin(ports.provider, login);
  await requireSite(ports.store, caller, siteName, "manage_readers");
  return lookUp(ports, caller, login);
}

// --- internal ---

function refusal(reason: ReaderRefusal, siteName: string): DomainError {
  if (reason === "not_private") return siteNotPrivate();
  if (reason === "too_many_groups") return hasMaximum(siteName, MAX_READER_GROUPS, "groups as readers");
  const count = `${MAX_INVITED_READERS} readers of this site have never signed in`;
  return new DomainError("conflict", `${count}: wait until some of them have, or remove those who will not`);
}

function siteNotPrivate(): DomainError {
  return new DomainError("site_not_private", "site is not private: make it private first");
}
