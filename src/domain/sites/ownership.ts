import type { Caller, SessionCaller } from "../accounts/caller.ts";
import { DomainError } from "../errors.ts";
import type { Store } from "../ports/store.ts";
import type { Site } from "./site.ts";

/** Throws `forbidden` for a deployment token, for operations that need a session. */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === "session") return caller;
  throw new DomainError("forbidden", "a session token is required: a deployment token cannot do this");
}

/**
 * Returns the site if the caller is a session of its owner. The credential is checked first: a deployment token gets
 * `forbidden` with *a session token is required*, and does not learn whether the site exists. Then throws
 * `not_found`, or `forbidden` with *site ownership is required*.
 */
export async function requireOwnSite(store: Pick<Store, "sites">, caller: Caller, name: string): Promise<Site> {
  const { user } = requireSession(caller);
  const site = await requireSite(store, name);
  if (site.ownerId !== user.id) throw ownershipRequired(name);
  return site;
}

/**
 * The same for operations where the specification requires ownership only. The site is checked first: throws
 * `not_found`, then `forbidden` with *site ownership is required*, for a deployment token too, which owns nothing.
 */
export async function requireSiteOfOwner(store: Pick<Store, "sites">, caller: Caller, name: string): Promise<Site> {
  const site = await requireSite(store, name);
  if (caller.kind === "session" && site.ownerId === caller.user.id) return site;
  if (caller.kind === "session") throw ownershipRequired(name);
  throw new DomainError("forbidden", "site ownership is required: a deployment token cannot do this");
}

/** Returns the site if the caller is a session of its owner or a deployment token of this site. */
export async function requireDeployableSite(store: Pick<Store, "sites">, caller: Caller, name: string): Promise<Site> {
  const site = await requireSite(store, name);
  const allowed = caller.kind === "session" ? site.ownerId === caller.user.id : site.id === caller.siteId;
  if (!allowed) throw ownershipRequired(name);
  return site;
}

async function requireSite(store: Pick<Store, "sites">, name: string): Promise<Site> {
  const site = await store.sites.find(name);
  if (!site) throw new DomainError("not_found", `site does not exist: ${JSON.stringify(name.slice(0, 80))}`);
  return site;
}

function ownershipRequired(name: string): DomainError {
  return new DomainError("forbidden", `site ownership is required: ${name} belongs to someone else`);
}
