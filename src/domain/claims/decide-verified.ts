import { isUnknown } from "../ports/dns.ts";
import { SECOND } from "../timestamp.ts";
import { challengeCameBack, evaluateProbes } from "./activation.ts";
import { type Claim, isMode, LOSS_GRACE, type Mode, type ObservedMode } from "./claim.ts";
import { awaitsCertificateAgain } from "./connection-status.ts";
import { type Decision, type DecisionContext, settled } from "./decision.ts";
import { diagnose } from "./diagnostics.ts";
import { lose } from "./ending.ts";
import { addressProblem, comingLoss, notProbed, proofGone, proofNotSeen } from "./messages.ts";
import type { AddressesSeen, Observation } from "./observation.ts";
import { leadsHere, observedMode } from "./observed-mode.ts";
import { type BackoffPolicy, planNext } from "./schedule.ts";
import { AT_REST, startTransition } from "./transition.ts";

/** What a CA usually needs from order to certificate. */
const ORDER_TIME = 20 * SECOND;

/** What a look at a verified claim leads to: is it still proven, where does its name lead, does the name bring us back. */
export function decideVerified(before: Claim, observation: Observation, circumstances: DecisionContext): Decision {
  const claim = noteProof({ ...before, lastCheckedAt: circumstances.now }, observation);
  if (claim.routeStatus === "publishing") {
    return { claim: plan(claim, "step", circumstances), actions: ["publish_route"], lookAgain: true };
  }
  const addresses = observation.addresses;
  if (addresses === null) return settled(claim);
  const observed = observedMode(addresses);
  const problem = addressProblem(claim, addresses, circumstances.targets);

  if (isUnknown(addresses)) {
    const unknown = endOfTime({ ...claim, observedMode: observed, lastError: problem }, circumstances);
    return settled(plan(unknown, unknownLadder(unknown), circumstances));
  }

  const placed = notePlace(claim, observation, addresses, problem, circumstances);
  if (isUnprobed(observation, observed)) {
    return settled(plan(endOfTime(placed, circumstances), unknownLadder(placed), circumstances));
  }
  if (isLost(placed, observation, circumstances)) {
    const why = `The TXT record of ${claim.hostname} and its addresses here were both gone for seven days.`;
    return lose(placed, why, circumstances);
  }
  const moved = followMode(placed, observed, circumstances.now);
  const diagnosed = (it: Claim): Claim => ({
    ...it,
    diagnostics: diagnose(it, observation, observed, problem, {
      ...circumstances,
      tlsOff: circumstances.tls === "off",
    }),
  });
  if (!isMode(observed)) {
    const held = {
      ...moved,
      ...(observed === "mixed" ? evaluateBothModes(moved, observation, circumstances) : UNASKED),
    };
    return settled(diagnosed(plan(endOfTime(held, circumstances), astrayLadder(held), circumstances)));
  }
  const decision = connect(moved, observed, observation, circumstances);
  return { ...decision, claim: diagnosed(decision.claim) };
}

// --- what the records say ---

function noteProof(claim: Claim, { proof, proven }: Observation): Claim {
  if (proven) return { ...claim, proofMisses: 0 };
  return proof.kind === "answered" ? { ...claim, proofMisses: claim.proofMisses + 1 } : claim;
}

/**
 * Notes where the name leads and since when it does not lead here, which only a probe takes back, and says in `lastError`
 * what to mend.
 */
function notePlace(
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
  const astray = observed === "unsupported" || observed === "unavailable" || (unprobed && claim.astraySince !== null);
  let goneSince = claim.goneSince;
  if (here || proven) goneSince = null;
  else if (proof.kind === "answered" && !unprobed) goneSince ??= now;
  const proofError = proof.kind === "answered" ? proofGone(claim) : proofNotSeen(claim, proof);
  const placed: Claim = {
    ...claim,
    observedMode: observed,
    astraySince: astray ? (claim.astraySince ?? now) : null,
    goneSince,
  };
  const proofProblem = proven ? null : problem === null ? proofError : `Besides, ${proofError}`;
  const probeProblem = unprobed ? notProbed(claim.hostname) : null;
  const errors = [problem, proofProblem, comingLoss(placed), probeProblem].filter((error) => error !== null);
  return { ...placed, lastError: errors.length > 0 ? errors.join(" ") : null };
}

/** Whether time ran out before a name that leads here was probed: then nothing is known of the way to it. */
function isUnprobed({ http }: Observation, observed: ObservedMode): boolean {
  return http === null && (isMode(observed) || observed === "mixed");
}

/** A look that did not see the TXT record's name says nothing of the record: its owner may have set it again. */
function isLost({ goneSince }: Claim, { proof }: Observation, { now, clockTrusted }: DecisionContext): boolean {
  return clockTrusted && proof.kind === "answered" && goneSince !== null && now - goneSince >= LOSS_GRACE;
}

function unknownLadder(claim: Claim): BackoffPolicy {
  if (claim.targetMode !== null) return "moving";
  return awaitsCertificateAgain(claim) ? "step" : "failing";
}

/** Waiting for a first connection is patient at another pace than worrying about a lost one. */
function astrayLadder(claim: Claim): BackoffPolicy {
  if (claim.targetMode !== null) return "moving";
  return claim.activatedAt === null ? "waiting" : "failing";
}

// --- modes and transitions ---

/** Returns the claim with its wanted mode following DNS: a transition starts, ends because DNS went back, or goes on. */
function followMode(before: Claim, observed: ObservedMode, now: number): Claim {
  const claim = observed === before.cancelledMode ? before : { ...before, cancelledMode: null };
  if (!isMode(observed)) return claim;
  if (claim.effectiveMode === null) return { ...claim, mode: observed };
  if (observed === claim.effectiveMode) {
    return claim.targetMode === null ? claim : { ...claim, ...AT_REST, mode: observed, activationError: null };
  }
  const atRest = claim.targetMode === null;
  return atRest && claim.cancelledMode !== observed ? startTransition(claim, observed, now) : claim;
}

/** Returns the claim with the deadline of its transition judged. A new mode that answers later still succeeds. */
function endOfTime(claim: Claim, { now, clockTrusted }: DecisionContext): Claim {
  const deadline = claim.transitionDeadlineAt;
  if (deadline === null || now < deadline || !clockTrusted) return claim;
  const reason = claim.activationError ?? claim.lastError ?? "its certificate was not ready.";
  const transitionError = `${claim.hostname} did not answer in ${claim.targetMode} mode within an hour; ${claim.effectiveMode} mode stays in force. ${reason} Retry or cancel the transition.`;
  return { ...claim, transitionError };
}

// --- connections ---

function connect(claim: Claim, observed: Mode, observation: Observation, circumstances: DecisionContext): Decision {
  const { now } = circumstances;
  const verdict = evaluateProbes(claim, observed, observation, circumstances.tls);
  const seen: Claim = {
    ...claim,
    challengeSeenAt: claim.challengeSeenAt ?? (challengeCameBack(observation) ? now : null),
    activationCheckedAt: now,
  };
  switch (verdict.kind) {
    case "passed":
      return settled(plan(activate(seen, observed, now), "resting", circumstances));
    case "failed": {
      const failed = endOfTime({ ...seen, activationError: verdict.error }, circumstances);
      const ladder = failed.targetMode === null ? "failing" : "moving";
      return settled(plan(failed, ladder, circumstances, afterNextOrder(observation)));
    }
    case "waiting": {
      const waiting = endOfTime({ ...seen, activationError: null }, circumstances);
      const actions = verdict.orderCertificate ? (["request_certificate"] as const) : [];
      return { claim: plan(waiting, "step", circumstances), actions, lookAgain: false };
    }
    default:
      return verdict satisfies never;
  }
}

/** What an earlier probe found says nothing of a name that leads elsewhere. */
const UNASKED = { activationError: null } as const;

/** A name that shows both modes moves nowhere; one that was connected stays so while both ways bring back here. */
function evaluateBothModes(claim: Claim, observation: Observation, { now, tls }: DecisionContext): Partial<Claim> {
  if (claim.activatedAt === null) return UNASKED;
  const verdict = evaluateProbes(claim, "direct", observation, tls);
  return { activationCheckedAt: now, activationError: verdict.kind === "failed" ? verdict.error : null };
}

function activate(claim: Claim, observed: Mode, now: number): Claim {
  const active = { ...claim, activatedAt: claim.activatedAt ?? now, activationError: null };
  // After a cancelled transition DNS may show a mode that the owner does not want in force.
  if (claim.effectiveMode !== null && claim.targetMode !== observed) return active;
  return { ...active, ...AT_REST, mode: observed, effectiveMode: observed };
}

/** An order that failed is placed again by itself: a little later there is news of it. */
function afterNextOrder({ certificate: { state, nextTryAt } }: Observation): number | null {
  return state === "failed" && nextTryAt !== null ? nextTryAt + ORDER_TIME : null;
}

/** Plans the next look no later than `news`, and than the moments at which time alone changes something. */
function plan(claim: Claim, ladder: BackoffPolicy, circumstances: DecisionContext, news: number | null = null): Claim {
  const lossAt = claim.goneSince === null ? null : claim.goneSince + LOSS_GRACE;
  const ends = [lossAt, claim.transitionDeadlineAt, news];
  const coming = ends.filter((end): end is number => end !== null && end > circumstances.now);
  return planNext(claim, ladder, circumstances, Math.min(...coming));
}
