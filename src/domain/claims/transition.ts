import { DomainError } from "../errors.ts";
import { HOUR } from "../timestamp.ts";
import { type Claim, isMode, isOpen, type Mode } from "./claim.ts";
import { type Decision, type DecisionContext, settled } from "./decision.ts";
import { planNext } from "./schedule.ts";

/** How long the new mode has to answer before the owner is asked to do something. */
const TRANSITION_TIME = HOUR;

/** The fields of a claim that moves to no other mode. */
export const AT_REST = {
  targetMode: null,
  transitionStartedAt: null,
  transitionDeadlineAt: null,
  transitionError: null,
} as const;

/** The owner keeps the mode in force. Throws `conflict` when no transition runs. */
export function decideCancel(claim: Claim, circumstances: DecisionContext): Decision {
  if (!isOpen(claim) || claim.targetMode === null || claim.effectiveMode === null) {
    throw new DomainError("conflict", `there is no transition of ${claim.hostname} to cancel`);
  }
  const cancelled: Claim = {
    ...claim,
    ...AT_REST,
    mode: claim.effectiveMode,
    cancelledMode: claim.targetMode,
    activationError: null,
  };
  return settled(planNext(cancelled, "failing", circumstances));
}

/** The owner wants the move to the mode that DNS shows, with a fresh hour. Throws `conflict` when there is none to make. */
export function decideRetry(claim: Claim, circumstances: DecisionContext): Decision {
  const observed = isMode(claim.observedMode) && claim.observedMode !== claim.effectiveMode ? claim.observedMode : null;
  const target = observed ?? claim.targetMode;
  if (!isOpen(claim) || claim.effectiveMode === null || target === null) {
    throw new DomainError("conflict", `there is no transition of ${claim.hostname} to retry`);
  }
  return settled(startTransition(claim, target, circumstances.now));
}

/** Returns the claim at the start of its way to another mode, with a fresh hour for it and the next look due at once. */
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
    ladder: "moving",
    attempts: 0,
    nextCheckAt: now,
  };
}
