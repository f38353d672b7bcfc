import { type Claim, isOpen } from "./claim.ts";
import { type Decision, type DecisionContext, settled } from "./decision.ts";
import { AT_REST } from "./transition.ts";

/** Ends a claim that was not proven in time; any other stays as it is. */
export function expire(claim: Claim, { now, clockTrusted }: DecisionContext): Decision {
  if (claim.status !== "pending" || now < claim.expiresAt || !clockTrusted) return settled(claim);
  const lastError = `${claim.hostname} was not verified within seven days: add it again to get a new TXT record.`;
  return settled({ ...claim, status: "expired", lastError, nextCheckAt: null });
}

/** Ends a pending claim at once; a verified one when its route is removed. An ended one stays as it is. */
export function requestRemoval(claim: Claim, { now }: DecisionContext): Decision {
  if (!isOpen(claim)) return settled(claim);
  if (claim.status === "pending") {
    return settled({ ...claim, status: "cancelled", lastError: null, nextCheckAt: null });
  }
  const withdrawn: Claim = {
    ...claim,
    ...AT_REST,
    mode: claim.effectiveMode ?? claim.mode,
    withdrawnAt: now,
    removalRequestedAt: now,
    routeStatus: "removing",
    routeError: null,
    lastError: null,
    activationError: null,
    nextCheckAt: now,
  };
  return settled(withdrawn);
}

/** Ends a verified claim against its owner's will, and says why; an owner who withdrew it needs no reasons. */
export function lose(claim: Claim, why: string, { now }: DecisionContext): Decision {
  const lost: Claim = {
    ...claim,
    ...AT_REST,
    mode: claim.effectiveMode ?? claim.mode,
    status: "cancelled",
    routeStatus: "removing",
    routeError: null,
    lastError: claim.withdrawnAt === null ? `${why} Add it again to get a new TXT record.` : null,
    nextCheckAt: now,
  };
  return settled(lost);
}

/** Notes that visitors no longer get the site under the name; with that a withdrawn claim has ended. */
export function routeRemoved(claim: Claim): Decision {
  if (claim.routeStatus !== "removing") return settled(claim);
  return settled({
    ...claim,
    status: "cancelled",
    routeStatus: "removed",
    routeError: null,
    effectiveMode: null,
    nextCheckAt: null,
  });
}
