import { DomainError } from "../errors.ts";
import { type Claim, isMode, isOpen, type Mode } from "../model/claim.ts";
import { HOUR } from "../timestamp.ts";
import type { OwnNames } from "./hostname.ts";
import type { RoutingTarget } from "./observation.ts";
import type { TlsMode } from "./probe-verdict.ts";
import { planNext } from "./schedule.ts";

/** A side effect that follows once the claim is saved. */
type Action =
  | "publish_route"
  | "request_certificate"
  /** Saved in the same transaction: the event of the same name on the verified claim of the hostname. */
  | "notify_holder_proof_seen"
  | "notify_holder_proof_missed"
  | "overtake_holder";

export interface Decision {
  readonly claim: Claim;
  readonly actions: readonly Action[];
  /** True if another check can already make progress. */
  readonly checkAgain: boolean;
}

/** Input of a decision besides the claim and the event. */
export interface DecisionContext {
  readonly now: number;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** False shortly after the wall clock jumped. Nothing expires then. */
  readonly clockTrusted: boolean;
  readonly targets: readonly RoutingTarget[];
  readonly rangesVersion: string;
  readonly tls: TlsMode;
  readonly own: OwnNames;
}

export function withoutActions(claim: Claim): Decision {
  return { claim, actions: [], checkAgain: false };
}

/** The time that the new mode may take before the owner must act. */
const TRANSITION_TIME = HOUR;

/** The fields of a claim without a transition. */
export const NO_TRANSITION = {
  targetMode: null,
  transitionStartedAt: null,
  transitionDeadlineAt: null,
  transitionError: null,
} as const;

/** Keeps the effective mode. Throws `conflict` if no transition is running. */
export function decideCancel(claim: Claim, context: DecisionContext): Decision {
  if (!isOpen(claim) || claim.targetMode === null || claim.effectiveMode === null) {
    throw new DomainError("conflict", `there is no transition of ${claim.hostname} to cancel`);
  }
  const cancelled: Claim = {
    ...claim,
    ...NO_TRANSITION,
    mode: claim.effectiveMode,
    cancelledMode: claim.targetMode,
    activationError: null,
  };
  return withoutActions(planNext(cancelled, "failing", context));
}

/** Restarts the transition to the mode that DNS shows, with a new deadline. Throws `conflict` when there is none. */
export function decideRetry(claim: Claim, context: DecisionContext): Decision {
  const observed = isMode(claim.observedMode) && claim.observedMode !== claim.effectiveMode ? claim.observedMode : null;
  const target = observed ?? claim.targetMode;
  if (!isOpen(claim) || claim.effectiveMode === null || target === null) {
    throw new DomainError("conflict", `there is no transition of ${claim.hostname} to retry`);
  }
  return withoutActions(startTransition(claim, target, context.now));
}

/** Returns the claim at the start of a transition, with a new deadline and the next check due at once. */
export function startTransition(claim: Claim, target: Mode, now: number): Claim {
  return {
    ...claim,
    mode: target,
    targetMode: target,
    transitionStartedAt: now,
    transitionDeadlineAt: now + TRANSITION_TIME,
    transitionError: null,
    cancelledMode: null,
    activationError: null,
    backoff: "moving",
    attempts: 0,
    nextCheckAt: now,
  };
}

/** Expires a claim that was not verified in time. */
export function expire(claim: Claim, { now, clockTrusted }: DecisionContext): Decision {
  if (claim.status !== "pending" || now < claim.expiresAt || !clockTrusted) return withoutActions(claim);
  const lastError = `${claim.hostname} was not verified within seven days: add it again to get a new TXT record.`;
  return withoutActions({ ...claim, status: "expired", lastError, nextCheckAt: null });
}

/** Cancels a pending claim at once, and a verified one when its route is removed. */
export function requestRemoval(claim: Claim, { now }: DecisionContext): Decision {
  if (!isOpen(claim)) return withoutActions(claim);
  if (claim.status === "pending") {
    return withoutActions({ ...claim, status: "cancelled", lastError: null, nextCheckAt: null });
  }
  const withdrawn: Claim = {
    ...claim,
    ...NO_TRANSITION,
    mode: claim.effectiveMode ?? claim.mode,
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

/** Ends a verified claim against its owner's will. The reason is recorded unless the owner had withdrawn the claim. */
export function lose(claim: Claim, why: string, { now }: DecisionContext): Decision {
  const lost: Claim = {
    ...claim,
    ...NO_TRANSITION,
    mode: claim.effectiveMode ?? claim.mode,
    status: "cancelled",
    routeStatus: "removing",
    routeError: null,
    lastError: claim.withdrawnAt === null ? `${why} Add it again to get a new TXT record.` : null,
    nextCheckAt: now,
  };
  return withoutActions(lost);
}

/** The hostname no longer serves the site. This ends a withdrawn claim. */
export function routeRemoved(claim: Claim): Decision {
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
