import { DomainError } from "../errors.ts";
import { type Claim, isMode, isOpen } from "../model/claim.ts";
import {
  type Decision,
  type DecisionContext,
  decideVerified,
  lose,
  startTransition,
  withoutActions,
  withoutTransition,
} from "./decide-verified.ts";
import { isOwnName, ownNameRefusal } from "./hostname.ts";
import { proofNotSeen } from "./messages.ts";
import type { HolderSeen, Observation } from "./observation.ts";
import { planNext } from "./schedule.ts";

/** An event in the life of a claim. */
export type ClaimEvent =
  | { readonly kind: "observed"; readonly observation: Observation }
  | { readonly kind: "expiry_due" }
  | { readonly kind: "route_published" }
  | { readonly kind: "route_removed" }
  | { readonly kind: "route_step_failed"; readonly error: string }
  | { readonly kind: "removal_requested" }
  | { readonly kind: "transition_cancelled" }
  | { readonly kind: "transition_retried" }
  /** A check of another claim read the same TXT records, with or without the record of this claim. */
  | { readonly kind: "proof_seen_by_other" }
  | { readonly kind: "proof_missed_by_other" }
  /** Another claim proved the hostname after this one's proof had been absent. */
  | { readonly kind: "overtaken" };

/**
 * Returns the changed claim and the actions to take. Pure: the same arguments give the same decision.
 * Throws `conflict` for a request of the owner that does not apply in the claim's state.
 */
export function decide(claim: Claim, event: ClaimEvent, context: DecisionContext): Decision {
  switch (event.kind) {
    case "observed":
      if (!isOpen(claim)) return withoutActions(claim);
      if (isOwnName(claim.hostname, context.own)) return blockOwnName(claim, context);
      return claim.status === "pending"
        ? decidePending(claim, event.observation, context)
        : decideVerified(claim, event.observation, context);
    case "expiry_due":
      return expire(claim, context);
    case "route_published":
      return routePublished(claim, context);
    case "route_removed":
      return routeRemoved(claim);
    case "route_step_failed":
      return routeStepFailed(claim, event.error, context);
    case "removal_requested":
      return requestRemoval(claim, context);
    case "transition_cancelled":
      return decideCancel(claim, context);
    case "transition_retried":
      return decideRetry(claim, context);
    case "proof_seen_by_other":
      return withoutActions(claim.status === "verified" ? { ...claim, proofMisses: 0 } : claim);
    case "proof_missed_by_other":
      return withoutActions(claim.status === "verified" ? { ...claim, proofMisses: claim.proofMisses + 1 } : claim);
    case "overtaken":
      return claim.status === "verified"
        ? lose(claim, `${claim.hostname} was proven by another site after this claim's TXT record was gone.`, context)
        : withoutActions(claim);
    default:
      return event satisfies never;
  }
}

/** The settings were changed so that the hostname is now one of the server's own. It no longer serves the site. */
function blockOwnName(claim: Claim, context: DecisionContext): Decision {
  const { now, own } = context;
  const remedy = claim.hostname === own.baseHost ? "another base URL" : "another sites domain";
  const taken: Claim = {
    ...withoutTransition(claim),
    lastCheckedAt: now,
    lastError: `${ownNameRefusal(claim.hostname, own)}. Remove the claim, or ask the operator for ${remedy}.`,
    activationError: null,
    misroutedSince: claim.status === "verified" ? (claim.misroutedSince ?? now) : null,
  };
  return withoutActions(planNext(taken, "failing", context));
}

// --- requests of the owner ---

/** Keeps the effective mode. Throws `conflict` if no transition is running. */
function decideCancel(claim: Claim, context: DecisionContext): Decision {
  if (!isOpen(claim) || claim.targetMode === null || claim.effectiveMode === null) {
    throw new DomainError("conflict", `there is no transition of ${claim.hostname} to cancel`);
  }
  const cancelled: Claim = {
    ...withoutTransition(claim),
    cancelledMode: claim.targetMode,
    activationError: null,
  };
  return withoutActions(planNext(cancelled, "failing", context));
}

/** Restarts the transition to the mode that DNS shows, with a new deadline. Throws `conflict` when there is none. */
function decideRetry(claim: Claim, context: DecisionContext): Decision {
  const observed = isMode(claim.observedMode) && claim.observedMode !== claim.effectiveMode ? claim.observedMode : null;
  const target = observed ?? claim.targetMode;
  if (!isOpen(claim) || claim.effectiveMode === null || target === null) {
    throw new DomainError("conflict", `there is no transition of ${claim.hostname} to retry`);
  }
  return withoutActions(startTransition(claim, target, context.now));
}

/** Cancels a pending claim at once, and a verified one when its route is removed. */
function requestRemoval(claim: Claim, { now }: DecisionContext): Decision {
  if (!isOpen(claim)) return withoutActions(claim);
  if (claim.status === "pending") {
    return withoutActions({ ...claim, status: "cancelled", lastError: null, nextCheckAt: null });
  }
  const withdrawn: Claim = {
    ...withoutTransition(claim),
    withdrawnAt: now,
    removalRequestedAt: now,
    routeStatus: "removing",
    routeError: null,
    lastError: null,
    activationError: null,
    nextCheckAt: now,
  };
  return withoutActions(withdrawn);
}

// --- routes ---

function routePublished(claim: Claim, { now }: DecisionContext): Decision {
  if (claim.routeStatus !== "publishing") return withoutActions(claim);
  const published = { routeStatus: "routed", routeGeneration: claim.routeGeneration + 1, routeError: null } as const;
  return { claim: { ...claim, ...published, nextCheckAt: now }, actions: [], checkAgain: true };
}

/** The hostname no longer serves the site. This ends a withdrawn claim. */
function routeRemoved(claim: Claim): Decision {
  if (claim.routeStatus !== "removing") return withoutActions(claim);
  return withoutActions({
    ...claim,
    status: "cancelled",
    routeStatus: "removed",
    routeError: null,
    effectiveMode: null,
    nextCheckAt: null,
  });
}

function routeStepFailed(claim: Claim, error: string, context: DecisionContext): Decision {
  if (claim.routeStatus !== "publishing" && claim.routeStatus !== "removing") return withoutActions(claim);
  return withoutActions(planNext({ ...claim, routeError: error }, "step", context));
}

// --- pending claims ---

/** Expires a claim that was not verified in time. */
function expire(claim: Claim, { now, clockTrusted }: DecisionContext): Decision {
  if (claim.status !== "pending" || now < claim.expiresAt || !clockTrusted) return withoutActions(claim);
  const lastError = `${claim.hostname} was not verified within seven days: add it again to get a new TXT record.`;
  return withoutActions({ ...claim, status: "expired", lastError, nextCheckAt: null });
}

/** Consecutive checks without the holder's record after which a claim that has its own record takes over. */
const MISSES_UNTIL_OVERTAKEN = 2;

function decidePending(before: Claim, observation: Observation, context: DecisionContext): Decision {
  const due = expire(before, context);
  if (due.claim.status !== "pending") return due;
  const claim = { ...before, lastCheckedAt: context.now };
  if (!observation.proven) {
    const lastError = proofNotSeen(claim, observation.proof, observation.unclaimedCounterpart);
    return keepWaiting({ ...claim, lastError }, context);
  }
  return observation.holder === null ? verify(claim, context) : challengeHolder(claim, observation.holder, context);
}

function keepWaiting(claim: Claim, context: DecisionContext): Decision {
  return withoutActions(planNext(claim, "waiting", context, claim.expiresAt));
}

function verify(claim: Claim, { now }: DecisionContext): Decision {
  const verified: Claim = {
    ...claim,
    status: "verified",
    verifiedAt: now,
    routeStatus: "publishing",
    lastError: null,
    backoff: "step",
    attempts: 0,
    nextCheckAt: now,
  };
  return { claim: verified, actions: ["publish_route"], checkAgain: true };
}

/** Another claim holds the hostname. It loses it once its own record was missing in two checks, including this one. */
function challengeHolder(claim: Claim, holder: HolderSeen, context: DecisionContext): Decision {
  if (holder.proofPresent) {
    const lastError = `${claim.hostname} is held by another site whose own TXT record is there: remove that record first.`;
    const waiting = keepWaiting({ ...claim, lastError }, context);
    return { ...waiting, actions: ["notify_holder_proof_seen"] };
  }
  if (holder.proofMisses + 1 < MISSES_UNTIL_OVERTAKEN) {
    const lastError = `${claim.hostname} is still held by another site, whose TXT record was absent for the first time: the next check decides.`;
    const waiting = keepWaiting({ ...claim, lastError }, context);
    return { ...waiting, actions: ["notify_holder_proof_missed"] };
  }
  const won = verify(claim, context);
  return { ...won, actions: ["overtake_holder", ...won.actions] };
}
