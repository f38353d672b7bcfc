import { expect, test } from "bun:test";
import { DomainError } from "../errors.ts";
import { type Claim, connectionStatus, isOpen } from "../model/claim.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";
import { type ClaimEvent, decide } from "./decide.ts";
import type { Decision } from "./decide-verified.ts";
import { MAX_INTERVAL } from "./schedule.ts";
import {
  type AddressWord,
  aClaim,
  contextAt,
  type ProbeWord,
  type ProofWord,
  seen,
  T0,
} from "./testing/observations.ts";

const WALKS = 400;
const STEPS = 60;

/** A small generator with a seed (mulberry32), so that a failing sequence can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PROOFS: ProofWord[] = ["present", "present", "absent", "SERVFAIL", "silent"];
const ADDRESSES: AddressWord[] = [
  "ours",
  "ours",
  "edge",
  "edge",
  "elsewhere",
  "ours+edge",
  "ours+elsewhere",
  "NXDOMAIN",
  "no data",
  "SERVFAIL",
  "silent",
];
const PROBES: (ProbeWord | null)[] = [
  "returned",
  "returned",
  "stranger",
  "closed",
  "loop",
  "cached",
  "525",
  "wrong certificate",
  null,
];
const CERTIFICATES = ["unneeded", "none", "ordering", "ready", "failed"] as const;
const OTHERS: ClaimEvent[] = [
  { kind: "expiry_due" },
  { kind: "route_published" },
  { kind: "route_published" },
  { kind: "route_removed" },
  { kind: "route_step_failed", error: "taken" },
  { kind: "removal_requested" },
  { kind: "transition_cancelled" },
  { kind: "transition_retried" },
  { kind: "proof_seen_by_other" },
  { kind: "proof_missed_by_other" },
  { kind: "overtaken" },
];
const PASSING = [0, 1000, MINUTE, HOUR, 5 * HOUR, DAY, 3 * DAY, -DAY];

function event(claim: Claim, random: () => number): ClaimEvent {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  // Most events are checks; the others would end a claim too early.
  if (random() < 0.2) return pick(OTHERS);
  const verified = claim.status === "verified";
  const holder = { proofMisses: Math.floor(random() * 3), proofPresent: random() < 0.5 };
  return seen({
    proof: pick(PROOFS),
    addresses: verified ? pick(ADDRESSES) : null,
    http: pick(PROBES),
    https: pick(PROBES),
    certificate: pick(CERTIFICATES),
    holder: !verified && random() < 0.3 ? holder : null,
  });
}

/** Returns the invariants that a claim violates. */
function violations(claim: Claim): string[] {
  const moving = claim.targetMode !== null;
  const open = claim.status === "pending" || claim.status === "verified";
  const inService = claim.routeStatus === "publishing" || claim.routeStatus === "routed";
  const rules: Record<string, boolean> = {
    "a pending claim was never routed": claim.status !== "pending" || claim.routeStatus === "not_routed",
    "a pending or expired claim was never verified":
      (claim.status !== "pending" && claim.status !== "expired") || claim.verifiedAt === null,
    "a verified claim knows since when": claim.status !== "verified" || claim.verifiedAt !== null,
    "only a verified, not withdrawn claim is in service":
      !inService || (claim.status === "verified" && claim.withdrawnAt === null),
    "a removed route has a cancelled claim": claim.routeStatus !== "removed" || claim.status === "cancelled",
    "withdrawal and removal go together": (claim.withdrawnAt === null) === (claim.removalRequestedAt === null),
    "a transition has a start and a deadline":
      moving === (claim.transitionStartedAt !== null) && moving === (claim.transitionDeadlineAt !== null),
    "a transition leads from one mode to another":
      !moving || (claim.effectiveMode !== null && claim.effectiveMode !== claim.targetMode),
    "the wanted mode is the one moved to": !moving || claim.mode === claim.targetMode,
    "at rest the wanted mode is the one in force":
      moving || claim.effectiveMode === null || claim.mode === claim.effectiveMode,
    "only a transition has a transition error": claim.transitionError === null || moving,
    "an activated claim was seen": claim.activatedAt === null || claim.challengeSeenAt !== null,
    "a mode in force was activated": claim.effectiveMode === null || claim.activatedAt !== null,
    "an ended claim has no plans": open || claim.routeStatus === "removing" || claim.nextCheckAt === null,
    "an open claim is looked at again": !open || claim.nextCheckAt !== null,
    "a route in service was counted": claim.routeStatus !== "routed" || claim.routeGeneration > 0,
    "connected means the last look said so":
      connectionStatus(claim) !== "connected" ||
      (claim.activatedAt !== null && claim.activationError === null && claim.misroutedSince === null),
    "every state that needs action has a remedy":
      connectionStatus(claim) !== "action_needed" ||
      (claim.lastError ?? claim.activationError ?? claim.transitionError) !== null,
  };
  return Object.entries(rules)
    .filter(([, holds]) => !holds)
    .map(([rule]) => rule);
}

/** Returns the invariants that a change violates. */
function transitionViolations(
  before: Claim,
  what: ClaimEvent,
  { claim: after, actions }: Decision,
  now: number,
): string[] {
  const ended = before.status === "expired" || (before.status === "cancelled" && before.routeStatus !== "removing");
  const proven = what.kind === "observed" && what.observation.proven;
  const rules: Record<string, boolean> = {
    "nothing is verified without its own record":
      before.status === "verified" || after.status !== "verified" || (before.status === "pending" && proven),
    "an ended claim stays ended": !ended || Bun.deepEquals(before, after),
    "a cancelled claim stays cancelled": before.status !== "cancelled" || after.status === "cancelled",
    "a withdrawn claim stays withdrawn": before.withdrawnAt === null || after.withdrawnAt === before.withdrawnAt,
    "a certificate is ordered only when HTTP came back":
      !actions.includes("request_certificate") ||
      (what.kind === "observed" && what.observation.http?.kind === "answered" && what.observation.http.returned),
    "routes are published for verified claims alone":
      !actions.includes("publish_route") || (after.status === "verified" && after.routeStatus === "publishing"),
    "a look at an open claim plans the next, not too far away":
      what.kind !== "observed" || !isOpen(after) || (after.nextCheckAt ?? Number.NaN) - now <= MAX_INTERVAL,
    "a transition is looked after every few minutes":
      what.kind !== "observed" || after.targetMode === null || (after.nextCheckAt ?? Number.NaN) - now <= 6 * MINUTE,
    "generations never go back": after.routeGeneration >= before.routeGeneration,
  };
  return Object.entries(rules)
    .filter(([, holds]) => !holds)
    .map(([rule]) => rule);
}

test("no sequence of random checks and requests reaches a state that breaks a rule", () => {
  const reached = new Set<string>();
  for (let seed = 1; seed <= WALKS; seed++) {
    const random = generator(seed);
    const tls = (["off", "manual", "internal", "acme"] as const)[seed % 4] as "off";
    let claim = aClaim();
    let now = T0;
    for (let step = 0; step < STEPS; step++) {
      now += PASSING[Math.floor(random() * PASSING.length)] as number;
      const what = event(claim, random);
      let decision: Decision;
      try {
        decision = decide(claim, what, contextAt(now, { random, tls, clockTrusted: random() < 0.8 }));
      } catch (error) {
        if (error instanceof DomainError && error.kind === "conflict") continue;
        throw error;
      }
      const wrong = [...transitionViolations(claim, what, decision, now), ...violations(decision.claim)];
      expect({ seed, step, what: what.kind, wrong }).toEqual({ seed, step, what: what.kind, wrong: [] });
      claim = decision.claim;
      reached.add(`${claim.status} ${claim.routeStatus} ${connectionStatus(claim)}`);
    }
  }
  // The sequences must reach every state that a claim can be in.
  expect([...reached].sort()).toEqual([
    "cancelled not_routed waiting_for_dns",
    "cancelled removed action_needed",
    "cancelled removed waiting_for_dns",
    "cancelled removing action_needed",
    "cancelled removing waiting_for_dns",
    "expired not_routed action_needed",
    "pending not_routed waiting_for_dns",
    "verified publishing waiting_for_dns",
    "verified removing updating",
    "verified routed action_needed",
    "verified routed connected",
    "verified routed securing",
    "verified routed updating",
    "verified routed waiting_for_dns",
  ]);
});
