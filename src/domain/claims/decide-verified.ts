import {
  awaitsCertificateAgain,
  type BackoffPolicy,
  type Claim,
  isMode,
  LOSS_GRACE,
  type Mode,
  type ObservedMode,
} from "../model/claim.ts";
import { isUnknown } from "../ports/dns.ts";
import { HOUR, SECOND } from "../timestamp.ts";
import { diagnose } from "./diagnostics.ts";
import type { OwnNames } from "./hostname.ts";
import { addressProblem, comingLoss, notProbed, proofGone, proofNotSeen } from "./messages.ts";
import {
  type AddressesSeen,
  challengeCameBack,
  evaluateProbes,
  leadsHere,
  type Observation,
  observedMode,
  type RoutingTarget,
  type TlsMode,
} from "./observation.ts";
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

/** Returns the claim without its transition, in the mode in which it is connected, if any. */
export function withoutTransition(claim: Claim): Claim {
  return { ...claim, ...NO_TRANSITION, mode: claim.effectiveMode ?? claim.mode };
}

/** The fields of a claim without a transition. */
const NO_TRANSITION = {
  targetMode: null,
  transitionStartedAt: null,
  transitionDeadlineAt: null,
  transitionError: null,
} as const;

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

/** Ends a verified claim against its owner's will. The reason is recorded unless the owner had withdrawn the claim. */
export function lose(claim: Claim, why: string, { now }: DecisionContext): Decision {
  const lost: Claim = {
    ...withoutTransition(claim),
    status: "cancelled",
    routeStatus: "removing",
    routeError: null,
    lastError: claim.withdrawnAt === null ? `${why} Add it again to get a new TXT record.` : null,
    nextCheckAt: now,
  };
  return withoutActions(lost);
}

/** The time that a CA usually takes from order to certificate. */
const ORDER_TIME = 20 * SECOND;

/**
 * Decides on a verified claim: whether it is still proven, to which server its addresses belong, and whether the probes
 * reach this server.
 */
export function decideVerified(before: Claim, observation: Observation, context: DecisionContext): Decision {
  const claim = recordProof({ ...before, lastCheckedAt: context.now }, observation);
  if (claim.routeStatus === "publishing") {
    return { claim: plan(claim, "step", context), actions: ["publish_route"], checkAgain: true };
  }
  const addresses = observation.addresses;
  if (addresses === null) return withoutActions(claim);
  const observed = observedMode(addresses);
  const problem = addressProblem(claim, addresses, context.targets);

  if (isUnknown(addresses)) {
    const unknown = checkDeadline({ ...claim, observedMode: observed, lastError: problem }, context);
    return withoutActions(plan(unknown, backoffWhenUnknown(unknown), context));
  }

  const placed = recordAddresses(claim, observation, addresses, problem, context);
  if (isUnprobed(observation, observed)) {
    return withoutActions(plan(checkDeadline(placed, context), backoffWhenUnknown(placed), context));
  }
  if (isLost(placed, observation, context)) {
    const why = `The TXT record of ${claim.hostname} and its addresses here were both gone for seven days.`;
    return lose(placed, why, context);
  }
  const moved = followMode(placed, observed, context.now);
  const diagnosed = (it: Claim): Claim => ({
    ...it,
    diagnostics: diagnose(it, observation, observed, problem, {
      ...context,
      tlsOff: context.tls === "off",
    }),
  });
  if (!isMode(observed)) {
    const held = {
      ...moved,
      ...(observed === "mixed" ? evaluateBothModes(moved, observation, context) : NOT_PROBED),
    };
    return withoutActions(diagnosed(plan(checkDeadline(held, context), backoffWhenMisrouted(held), context)));
  }
  const decision = connect(moved, observed, observation, context);
  return { ...decision, claim: diagnosed(decision.claim) };
}

// --- records ---

function recordProof(claim: Claim, { proof, proven }: Observation): Claim {
  if (proven) return { ...claim, proofMisses: 0 };
  return proof.kind === "answered" ? { ...claim, proofMisses: claim.proofMisses + 1 } : claim;
}

/**
 * Records to which server the hostname resolves, and since when it is not this one. Only a probe resets that.
 * `lastError` tells the owner which records to change.
 */
function recordAddresses(
  claim: Claim,
  observation: Observation,
  addresses: AddressesSeen,
  problem: string | null,
  { now }: DecisionContext,
): Claim {
  const { proof, proven } = observation;
  const observed = observedMode(addresses);
  const here = leadsHere(addresses, challengeCameBack(observation));
  const unprobed = isUnprobed(observation, observed);
  const astray =
    observed === "unsupported" || observed === "unavailable" || (unprobed && claim.misroutedSince !== null);
  let recordsGoneSince = claim.recordsGoneSince;
  if (here || proven) recordsGoneSince = null;
  else if (proof.kind === "answered" && !unprobed) recordsGoneSince ??= now;
  const proofError = proof.kind === "answered" ? proofGone(claim) : proofNotSeen(claim, proof);
  const placed: Claim = {
    ...claim,
    observedMode: observed,
    misroutedSince: astray ? (claim.misroutedSince ?? now) : null,
    recordsGoneSince,
  };
  const proofProblem = proven ? null : problem === null ? proofError : `Besides, ${proofError}`;
  const probeProblem = unprobed ? notProbed(claim.hostname) : null;
  const errors = [problem, proofProblem, comingLoss(placed), probeProblem].filter((error) => error !== null);
  return { ...placed, lastError: errors.length > 0 ? errors.join(" ") : null };
}

/** Returns whether the time ran out before a hostname that resolves to this server was probed. */
function isUnprobed({ http }: Observation, observed: ObservedMode): boolean {
  return http === null && (isMode(observed) || observed === "mixed");
}

/** A failed lookup says nothing about the TXT record, which the owner may have set again. */
function isLost({ recordsGoneSince }: Claim, { proof }: Observation, { now, clockTrusted }: DecisionContext): boolean {
  return clockTrusted && proof.kind === "answered" && recordsGoneSince !== null && now - recordsGoneSince >= LOSS_GRACE;
}

function backoffWhenUnknown(claim: Claim): BackoffPolicy {
  if (claim.targetMode !== null) return "moving";
  return awaitsCertificateAgain(claim) ? "step" : "failing";
}

/** A hostname that was never connected waits for its owner. A connected one that fails is checked at another rate. */
function backoffWhenMisrouted(claim: Claim): BackoffPolicy {
  if (claim.targetMode !== null) return "moving";
  return claim.activatedAt === null ? "waiting" : "failing";
}

// --- modes and transitions ---

/**
 * Returns the claim with its target mode following DNS: a transition starts, ends because DNS returned to the old mode,
 * or continues.
 */
function followMode(before: Claim, observed: ObservedMode, now: number): Claim {
  const claim = observed === before.cancelledMode ? before : { ...before, cancelledMode: null };
  if (!isMode(observed)) return claim;
  if (claim.effectiveMode === null) return { ...claim, mode: observed };
  if (observed === claim.effectiveMode) {
    return claim.targetMode === null ? claim : { ...claim, ...NO_TRANSITION, mode: observed, activationError: null };
  }
  const atRest = claim.targetMode === null;
  return atRest && claim.cancelledMode !== observed ? startTransition(claim, observed, now) : claim;
}

/** Records an error after the deadline of a transition. A mode that works later still succeeds. */
function checkDeadline(claim: Claim, { now, clockTrusted }: DecisionContext): Claim {
  const deadline = claim.transitionDeadlineAt;
  if (deadline === null || now < deadline || !clockTrusted) return claim;
  const reason = claim.activationError ?? claim.lastError ?? "its certificate was not ready.";
  const transitionError = `${claim.hostname} did not answer in ${claim.targetMode} mode within an hour; ${claim.effectiveMode} mode stays in force. ${reason} Retry or cancel the transition.`;
  return { ...claim, transitionError };
}

// --- connections ---

function connect(claim: Claim, observed: Mode, observation: Observation, context: DecisionContext): Decision {
  const { now } = context;
  const verdict = evaluateProbes(claim, observed, observation, context.tls);
  const seen: Claim = {
    ...claim,
    challengeSeenAt: claim.challengeSeenAt ?? (challengeCameBack(observation) ? now : null),
    activationCheckedAt: now,
  };
  switch (verdict.kind) {
    case "passed":
      return withoutActions(plan(activate(seen, observed, now), "resting", context));
    case "failed": {
      const failed = checkDeadline({ ...seen, activationError: verdict.error }, context);
      const backoff = failed.targetMode === null ? "failing" : "moving";
      return withoutActions(plan(failed, backoff, context, afterNextOrder(observation)));
    }
    case "waiting": {
      const waiting = checkDeadline({ ...seen, activationError: null }, context);
      const actions = verdict.orderCertificate ? (["request_certificate"] as const) : [];
      return { claim: plan(waiting, "step", context), actions, checkAgain: false };
    }
    default:
      return verdict satisfies never;
  }
}

/** The results of an earlier probe are invalid once the hostname resolves elsewhere. */
const NOT_PROBED = { activationError: null } as const;

/**
 * With both modes in DNS no transition starts. A connected hostname stays connected while both modes reach this server.
 */
function evaluateBothModes(claim: Claim, observation: Observation, { now, tls }: DecisionContext): Partial<Claim> {
  if (claim.activatedAt === null) return NOT_PROBED;
  const verdict = evaluateProbes(claim, "direct", observation, tls);
  return { activationCheckedAt: now, activationError: verdict.kind === "failed" ? verdict.error : null };
}

function activate(claim: Claim, observed: Mode, now: number): Claim {
  const active = { ...claim, activatedAt: claim.activatedAt ?? now, activationError: null };
  // After a cancelled transition DNS may show a mode that the owner does not want.
  if (claim.effectiveMode !== null && claim.targetMode !== observed) return active;
  return { ...active, ...NO_TRANSITION, mode: observed, effectiveMode: observed };
}

/** A failed order is retried automatically. Returns when its result is expected. */
function afterNextOrder({ certificate: { state, nextTryAt } }: Observation): number | null {
  return state === "failed" && nextTryAt !== null ? nextTryAt + ORDER_TIME : null;
}

/** Plans the next check: no later than `latest`, and no later than the next deadline of the claim. */
function plan(claim: Claim, backoff: BackoffPolicy, context: DecisionContext, latest: number | null = null): Claim {
  const lossAt = claim.recordsGoneSince === null ? null : claim.recordsGoneSince + LOSS_GRACE;
  const ends = [lossAt, claim.transitionDeadlineAt, latest];
  const coming = ends.filter((end): end is number => end !== null && end > context.now);
  return planNext(claim, backoff, context, Math.min(...coming));
}
