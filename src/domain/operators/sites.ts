import { type ListedMember, membersOf } from "../access/members.ts";
import { DomainError } from "../errors.ts";
import { unknownSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { newFreeze } from "../model/freeze.ts";
import { requireOperator, requireRecentOperator } from "../model/operator.ts";
import { overQuota, type Quota } from "../model/quota.ts";
import type { Site } from "../model/site.ts";
import type { Ended, EndedByTransfer } from "../model/transfer.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { SiteListing } from "../ports/store/sites.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { removeSite } from "../sites/delete.ts";
import { requireUser } from "./people.ts";

interface OperatedSitesPorts {
  readonly store: Pick<Store, "sites" | "users">;
  /** The server's limits, for owners without their own. */
  readonly quota: Quota;
  readonly provider: Pick<IdentityProvider, "name">;
  readonly clock: Clock;
}

/** Returns one site. Throws `forbidden`, then `not_found`. */
export async function findAnySite(
  { store, clock }: OperatedSitesPorts,
  caller: Caller,
  name: string,
): Promise<SiteListing> {
  requireOperator(caller);
  return requireListing(store, name, clock.now());
}

/** Returns the people who work on a site. Throws `forbidden`, then `not_found`. */
export async function listAnySiteMembers(
  { store }: { readonly store: Pick<Store, "sites" | "members" | "users"> },
  caller: Caller,
  name: string,
): Promise<readonly ListedMember[]> {
  requireOperator(caller);
  return membersOf(store, await requireAnySite(store, name));
}

/**
 * Freezes a site, or unfreezes it for null, and returns it. Throws `forbidden`, `not_found`, and `invalid` for an
 * invalid reason.
 */
export async function freezeAnySite(
  { store, clock }: OperatedSitesPorts,
  caller: Caller,
  name: string,
  freeze: { readonly reason: string | null } | null,
): Promise<SiteListing> {
  requireOperator(caller);
  const now = clock.now();
  // Read before the change: after one that was made, no failure may say that it was not.
  const listing = await requireListing(store, name, now);
  const site = await store.sites.setFrozen(listing.id, freeze && newFreeze(freeze.reason, now));
  if (site === null) throw unknownSite(name);
  return { ...listing, ...site };
}

/** Deletes a site as its owner would. Throws `forbidden` without a recent sign-in, `not_found`, and `conflict`. */
export async function removeAnySite(ports: OperatedSitesPorts, caller: Caller, name: string): Promise<void> {
  requireRecentOperator(caller, ports.clock.now());
  await removeSite(ports, await requireAnySite(ports.store, name));
}

/**
 * Transfers a site to another user, with its deployments, domains and readers. What the former owner set up ends,
 * except what is kept. Returns the site, and how much was ended. Throws `forbidden`, `not_found` for the site or the
 * user, `conflict` for a user who may not own sites, and `limit_exceeded` if the new owner's quota is too small.
 */
export async function transferAnySite(
  ports: OperatedSitesPorts,
  caller: Caller,
  name: string,
  { login, keep }: { readonly login: string; readonly keep: readonly EndedByTransfer[] },
): Promise<{ readonly site: SiteListing; readonly ended: Ended }> {
  requireOperator(caller);
  const listing = await requireListing(ports.store, name, ports.clock.now());
  const owner = await requireUser(ports, login);
  if (!owner.mayOwn) throw new DomainError("conflict", `${owner.login} may not own sites: add them as a user first`);
  const outcome = await ports.store.sites.transfer(listing.id, owner.id, { quota: ports.quota, keep });
  if (outcome.outcome === "over_quota") throw overQuota(outcome.excess);
  if (outcome.outcome === "missing") throw unknownSite(name);
  return { site: { ...listing, ...outcome.site, owner: owner.login }, ended: outcome.ended };
}

/** Returns the site of any owner. Throws `not_found`. */
export async function requireAnySite(store: Pick<Store, "sites">, name: string): Promise<Site> {
  const site = await store.sites.find(name);
  if (!site) throw unknownSite(name);
  return site;
}

// --- internal ---

async function requireListing(store: OperatedSitesPorts["store"], name: string, now: number): Promise<SiteListing> {
  const listing = await store.sites.listing(name, now);
  if (listing === null) throw unknownSite(name);
  return listing;
}
