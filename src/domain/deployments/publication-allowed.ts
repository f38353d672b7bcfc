import { excessOf, type Room } from "../accounts/quota.ts";
import type { Publication, PublicationRefusal } from "../ports/store/deployments.ts";
import type { Freeze } from "../sites/freeze.ts";

/** What a publication comes upon, as it is in the moment in which the deployment would be made. */
export interface PublicationState {
  /** Null where the account is gone. */
  readonly owner: { readonly frozen: Freeze | null } | null;
  /** Whether what asked for it has been revoked, or is gone otherwise. */
  readonly credentialRevoked: boolean;
  /** The site of the name; frozen by itself or with its owner. Null where there is none. */
  readonly site: { readonly id: number; readonly ownerId: number; readonly frozen: Freeze | null } | null;
  /** Whose the name was, and until when it is kept from others. */
  readonly retired: { readonly ownerId: number; readonly freeAt: number } | null;
  /** Null where no quota limits the owner. */
  readonly room: Room | null;
}

/** What is to be published; `bytes` are those of all its files, none where they are kept already. */
export type WantedPublication = Pick<Publication, "ownerId" | "onlySiteId" | "createdAt"> & { readonly bytes: number };

/** The refusals that hold whatever the content. */
type ContentIndependentRefusal = Exclude<PublicationRefusal, { outcome: "content_gone" }>;

/** Returns why a deployment is not made, or null: first who asks, then how much it is, then the site and its name. */
export function checkPublicationAllowed(
  wanted: WantedPublication,
  surroundings: PublicationState,
): ContentIndependentRefusal | null {
  const { owner, credentialRevoked, site, room } = surroundings;
  if (owner === null) return { outcome: "owner_gone" };
  if (credentialRevoked) return { outcome: "credential_revoked" };
  const excess = room && excessOf(room.quota, room.usage, { sites: site ? 0 : 1, bytes: wanted.bytes });
  if (excess) return { outcome: "over_quota", excess };
  if (site && site.ownerId !== wanted.ownerId) return { outcome: "not_owner" };
  if (wanted.onlySiteId !== null && wanted.onlySiteId !== site?.id) return { outcome: "site_gone" };
  const freeze = site ? site.frozen : owner.frozen;
  if (freeze) return { outcome: "frozen", freeze };
  return site === null && isKept(wanted, surroundings) ? { outcome: "name_retired" } : null;
}

// --- internal ---

/** The name of a site that was deleted is its owner's to use again, and for a while nobody else's. */
function isKept({ ownerId, createdAt }: WantedPublication, { retired }: PublicationState): boolean {
  return retired !== null && retired.ownerId !== ownerId && retired.freeAt > createdAt;
}
