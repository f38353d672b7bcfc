import { DomainError } from "../errors.ts";
import type { Caller, LimitedSessionCaller, SessionCaller } from "../model/caller.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import { GROUPS_HOLD } from "../model/group.ts";
import { may, OPERATIONS, type Operation, type Role } from "../model/role.ts";
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

/** A site, with the role with which the caller acts on it. */
export interface PermittedSite extends Site {
  readonly role: Role;
}

/**
 * Returns the site if the caller's credential and role allow the operation. Throws `not_found`, and `forbidden`: with
 * *a session token is required* for a credential that can never call it, with *site ownership is required* for a caller
 * without a role, and with *your role on this site does not allow this* for one whose role is too weak.
 */
export async function requireSite(
  store: Pick<Store, "sites">,
  caller: Caller,
  name: string,
  operation: Operation,
): Promise<PermittedSite> {
  const { credential } = OPERATIONS[operation];
  if (credential === "session") requireSession(caller);
  const site = await store.sites.find(name);
  if (!site) throw unknownSite(name);
  if (credential === "account" && caller.kind !== "session") {
    throw ownershipRequired(`${credentialOf(caller)} cannot do this`);
  }
  const role = await roleOf(store, caller, site);
  if (role === null) throw ownershipRequired(await whyStranger(store, caller, site));
  if (!may(role, operation)) throw roleTooWeak(role, operation);
  return { ...site, role };
}

/** Like `requireSite`, for a change. Throws `forbidden` also for a site that is frozen or has expired. */
export async function requireChangeableSite(
  store: Pick<Store, "sites">,
  caller: Caller,
  name: string,
  operation: Operation,
): Promise<PermittedSite> {
  const site = await requireSite(store, caller, name, operation);
  requireUnfrozenSite(site);
  return site;
}

/**
 * Returns the role with which a caller acts on a site; null for none. A deployment token has the role of the person who
 * made it, on its own site alone, and a session of limited scope that of its user, on the sites in its scope.
 */
export async function roleOf(
  { sites }: Pick<Store, "sites">,
  caller: Caller,
  site: Pick<Site, "id" | "ownerId">,
): Promise<Role | null> {
  if (caller.kind === "deployment_token") return caller.siteId === site.id ? caller.makerRole : null;
  if (caller.kind === "limited_session" && !includesSite(caller.limit, site)) return null;
  return site.ownerId === caller.user.id ? "owner" : sites.roleOf(site.id, caller.user.id, caller.at);
}

/**
 * Throws `forbidden` if the caller may do it only through a group. What they make would otherwise outlive the hours for
 * which the provider's word holds.
 */
export async function requireOwnRole(
  { sites }: Pick<Store, "sites">,
  caller: Caller,
  site: Pick<Site, "id" | "name">,
  operation: Operation,
): Promise<void> {
  const role = await sites.ownRoleOf(site.id, requireSession(caller).user.id);
  if (may(role, operation)) return;
  throw new DomainError(
    "forbidden",
    `a role through a group does not allow this: ask the owner of ${site.name} to make you a ${OPERATIONS[operation].role} yourself`,
  );
}

/** At this time, every group holds that a sign-in ever told. */
const EVER = 0;

/** Returns why a person has no role on a site: it is another's, or their groups no longer hold. */
export async function whyNoRole(
  { sites }: Pick<Store, "sites">,
  { user }: SessionCaller | LimitedSessionCaller,
  site: Pick<Site, "id" | "name">,
): Promise<string> {
  if ((await sites.roleOf(site.id, user.id, EVER)) === null) return belongsToOther(site);
  return `your role on ${site.name} came from a group, which holds for ${GROUPS_HOLD} from your sign-in: sign in again`;
}

/** Why a deployment token can do nothing any more. */
export const MAKER_LOST_ROLE = "the person who made this deployment token is no member of the site any more";

export function unknownSite(name: string): DomainError {
  return new DomainError("not_found", `site does not exist: ${JSON.stringify(name.slice(0, 80))}`);
}

export function roleTooWeak(role: Role, operation: Operation): DomainError {
  const needed = OPERATIONS[operation].role;
  return new DomainError(
    "forbidden",
    `your role on this site does not allow this: it takes the role ${needed}, and yours is ${role}`,
  );
}

// --- internal ---

function ownershipRequired(why: string): DomainError {
  return new DomainError("forbidden", `site ownership is required: ${why}`);
}

async function whyStranger(
  store: Pick<Store, "sites">,
  caller: Caller,
  site: Pick<Site, "id" | "name">,
): Promise<string> {
  if (caller.kind === "deployment_token") {
    return caller.siteId === site.id ? MAKER_LOST_ROLE : belongsToOther(site);
  }
  if (caller.kind === "limited_session" && !includesSite(caller.limit, site)) {
    return `${credentialOf(caller)} does not include ${site.name}`;
  }
  return whyNoRole(store, caller, site);
}

function belongsToOther({ name }: Pick<Site, "name">): string {
  return `${name} belongs to someone else`;
}

function credentialOf(caller: Exclude<Caller, SessionCaller>): string {
  return caller.kind === "deployment_token" ? "a deployment token" : `the scope "${scopeOf(caller.limit)}"`;
}
