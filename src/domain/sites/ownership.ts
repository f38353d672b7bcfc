import { DomainError } from "../errors.ts";
import type { Caller, LimitedSessionCaller, SessionCaller } from "../model/caller.ts";
import { includesSite, scopeOf } from "../model/scope.ts";
import type { Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";

/** Throws `forbidden` for a deployment token and for a session of limited scope, for operations that need a session. */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === "session") return caller;
  throw new DomainError("forbidden", `a session token is required: ${credentialOf(caller)} cannot do this`);
}

/** Throws `forbidden` for a deployment token, for what any session may do for itself. */
export function requirePerson(caller: Caller): SessionCaller | LimitedSessionCaller {
  return caller.kind === "limited_session" ? caller : requireSession(caller);
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
  throw new DomainError("forbidden", `site ownership is required: ${credentialOf(caller)} cannot do this`);
}

/** Returns the site if the caller is a session of its owner whose scope includes it, or a deployment token of this site. */
export async function requireDeployableSite(store: Pick<Store, "sites">, caller: Caller, name: string): Promise<Site> {
  const site = await requireSite(store, name);
  const allowed = caller.kind === "deployment_token" ? site.id === caller.siteId : site.ownerId === caller.user.id;
  if (!allowed) throw ownershipRequired(name);
  if (caller.kind === "limited_session" && !includesSite(caller.limit, site)) {
    throw new DomainError("forbidden", `site ownership is required: ${credentialOf(caller)} does not include ${name}`);
  }
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

function credentialOf(caller: Exclude<Caller, SessionCaller>): string {
  return caller.kind === "deployment_token" ? "a deployment token" : `the scope "${scopeOf(caller.limit)}"`;
}
