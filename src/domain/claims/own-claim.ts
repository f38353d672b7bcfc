import { DomainError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Claim } from "../model/claim.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import type { Site } from "../model/site.ts";
import type { ClaimPorts } from "./claim-ports.ts";

/** A claim as the API identifies it. */
export interface ClaimRequest {
  readonly siteName: string;
  readonly claimId: number;
}

/** Returns a claim of a site of the caller. Throws `not_found` and `forbidden`. */
export async function requireOwnClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  return requireClaim(
    ports,
    await requireSite(ports.store, caller, request.siteName, "manage_domains"),
    request.claimId,
  );
}

/** Like `requireOwnClaim`, for a change: throws `forbidden` also for a frozen site. */
export async function requireChangeableClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  const site = await requireSite(ports.store, caller, request.siteName, "manage_domains");
  const claim = await requireClaim(ports, site, request.claimId);
  requireUnfrozenSite(site);
  return claim;
}

// --- internal ---

async function requireClaim({ store }: ClaimPorts, site: Site, id: number): Promise<Claim> {
  const claim = await store.claims.find(id);
  if (claim?.siteId === site.id) return claim;
  throw new DomainError("not_found", `domain claim does not exist: ${site.name} has no claim ${id}`);
}
