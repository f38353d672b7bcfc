import { DomainError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Claim } from "../model/claim.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { type ClaimRequest, requireChangeableClaim, requireOwnClaim } from "./own-claim.ts";
import { applyEvent } from "./reconcile.ts";

/** Returns the claims of a site of the caller, including ended ones, newest first. */
export async function listClaims(ports: ClaimPorts, caller: Caller, siteName: string): Promise<readonly Claim[]> {
  const site = await requireSite(ports.store, caller, siteName, "read_domains");
  return ports.store.claims.listOfSite(site.id);
}

/**
 * Removes a claim: a pending one at once, a verified one as soon as its route and certificate are removed. An ended one
 * stays as it is. Throws `not_found` and `forbidden`.
 */
export async function removeClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<void> {
  const claim = await requireOwnClaim(ports, caller, request);
  await applyEvent(ports, claim.id, { kind: "removal_requested" });
}

/**
 * Keeps the effective mode. Throws `not_found`, `forbidden` (also for a frozen site), and `conflict` without a
 * transition.
 */
export async function cancelTransition(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  return requestTransition(ports, caller, request, "transition_cancelled");
}

/**
 * Restarts the transition to the mode that DNS shows. Throws `not_found`, `forbidden` (also for a frozen site), and
 * `conflict` if DNS shows the effective mode.
 */
export async function retryTransition(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  return requestTransition(ports, caller, request, "transition_retried");
}

// --- internal ---

async function requestTransition(
  ports: ClaimPorts,
  caller: Caller,
  request: ClaimRequest,
  kind: "transition_cancelled" | "transition_retried",
): Promise<Claim> {
  const { id } = await requireChangeableClaim(ports, caller, request);
  const claim = await applyEvent(ports, id, { kind });
  if (claim === null) throw new DomainError("not_found", "domain claim does not exist");
  return claim;
}
