import type { Claim } from "./claim.ts";
import { isOpen } from "./claim.ts";
import { decidePending } from "./decide-pending.ts";
import { decideVerified } from "./decide-verified.ts";
import { type Decision, type DecisionContext, settled } from "./decision.ts";
import { expire, lose, requestRemoval, routeRemoved } from "./ending.ts";
import { isOwnName, ownNameRefusal } from "./hostname.ts";
import type { Observation } from "./observation.ts";
import { planNext } from "./schedule.ts";
import { AT_REST, decideCancel, decideRetry } from "./transition.ts";

/** Something that happened to a claim. */
export type ClaimEvent =
  | { readonly kind: "observed"; readonly observation: Observation }
  | { readonly kind: "expiry_due" }
  | { readonly kind: "route_published" }
  | { readonly kind: "route_removed" }
  | { readonly kind: "route_step_failed"; readonly error: string }
  | { readonly kind: "removal_requested" }
  | { readonly kind: "transition_cancelled" }
  | { readonly kind: "transition_retried" }
  /** Somebody else's look at the same TXT records, which showed or did not show this claim's own. */
  | { readonly kind: "proof_seen_by_other" }
  | { readonly kind: "proof_missed_by_other" }
  /** Another claim proved the hostname after this one's proof had been absent. */
  | { readonly kind: "overtaken" };

/**
 * Returns what becomes of a claim, and what is to be done. Pure: the same arguments give the same decision.
 * Throws `conflict` for a request of the owner that makes no sense in the claim's state.
 */
export function decide(claim: Claim, happening: ClaimEvent, circumstances: DecisionContext): Decision {
  switch (happening.kind) {
    case "observed":
      if (!isOpen(claim)) return settled(claim);
      if (isOwnName(claim.hostname, circumstances.own)) return takenIn(claim, circumstances);
      return claim.status === "pending"
        ? decidePending(claim, happening.observation, circumstances)
        : decideVerified(claim, happening.observation, circumstances);
    case "expiry_due":
      return expire(claim, circumstances);
    case "route_published":
      return routePublished(claim, circumstances);
    case "route_removed":
      return routeRemoved(claim);
    case "route_step_failed":
      return routeStepFailed(claim, happening.error, circumstances);
    case "removal_requested":
      return requestRemoval(claim, circumstances);
    case "transition_cancelled":
      return decideCancel(claim, circumstances);
    case "transition_retried":
      return decideRetry(claim, circumstances);
    case "proof_seen_by_other":
      return settled(claim.status === "verified" ? { ...claim, proofMisses: 0 } : claim);
    case "proof_missed_by_other":
      return settled(claim.status === "verified" ? { ...claim, proofMisses: claim.proofMisses + 1 } : claim);
    case "overtaken":
      return claim.status === "verified"
        ? lose(
            claim,
            `${claim.hostname} was proven by another site after this claim's TXT record was gone.`,
            circumstances,
          )
        : settled(claim);
    default:
      return happening satisfies never;
  }
}

/** The settings made the name the server's own: visitors get something else under it, whatever its probe shows. */
function takenIn(claim: Claim, circumstances: DecisionContext): Decision {
  const { now, own } = circumstances;
  const wish = claim.hostname === own.baseHost ? "another base URL" : "another sites domain";
  const taken: Claim = {
    ...claim,
    ...AT_REST,
    mode: claim.effectiveMode ?? claim.mode,
    lastCheckedAt: now,
    lastError: `${ownNameRefusal(claim.hostname, own)}. Remove the claim, or ask the operator for ${wish}.`,
    activationError: null,
    astraySince: claim.status === "verified" ? (claim.astraySince ?? now) : null,
  };
  return settled(planNext(taken, "failing", circumstances));
}

// --- routes ---

function routePublished(claim: Claim, { now }: DecisionContext): Decision {
  if (claim.routeStatus !== "publishing") return settled(claim);
  const published = { routeStatus: "routed", routeGeneration: claim.routeGeneration + 1, routeError: null } as const;
  return { claim: { ...claim, ...published, nextCheckAt: now }, actions: [], lookAgain: true };
}

function routeStepFailed(claim: Claim, error: string, circumstances: DecisionContext): Decision {
  if (claim.routeStatus !== "publishing" && claim.routeStatus !== "removing") return settled(claim);
  return settled(planNext({ ...claim, routeError: error }, "step", circumstances));
}
