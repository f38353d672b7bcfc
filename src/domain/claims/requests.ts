import type { Caller } from "../accounts/caller.ts";
import { DomainError } from "../errors.ts";
import { type ClaimRequest, requireChangeableClaim, requireOwnClaim } from "./check.ts";
import type { Claim } from "./claim.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { applyEvent } from "./reconcile.ts";

/**
 * Removes a claim: a pending one at once, a verified one as soon as its route and certificate are gone. An ended one
 * stays as it is. Throws `not_found` and `forbidden`.
 */
export async function removeClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<void> {
  const claim = await requireOwnClaim(ports, caller, request);
  await applyEvent(ports, claim.id, { kind: "removal_requested" });
}

/** Keeps the mode in force. Throws `not_found`, `forbidden` also for a frozen site, and `conflict` when there is no transition. */
export async function cancelTransition(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  return ask(ports, caller, request, "transition_cancelled");
}

/**
 * Starts the move to the mode that DNS shows with a fresh hour. Throws `not_found`, `forbidden` also for a frozen site,
 * and `conflict` when DNS shows no other mode than the one in force.
 */
export async function retryTransition(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  return ask(ports, caller, request, "transition_retried");
}

async function ask(
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
