import { messageOf } from "../error-message.ts";
import { type Claim, isOpen } from "../model/claim.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { type ClaimEvent, decide } from "./decide.ts";
import type { Decision, DecisionContext } from "./decide-verified.ts";
import type { Observation } from "./observation.ts";
import { observe } from "./observe.ts";

/** Rounds of one reconciliation: proof, route, first connection, and retries after concurrent saves. */
const MAX_ROUNDS = 8;

export interface ReconcileResult {
  /** The claim as last saved; null when it does not exist. */
  readonly claim: Claim | null;
  /** True if no resolver responded. */
  readonly silent: boolean;
}

export interface ReconcileOptions {
  /** Aborts the observation. A missing response then counts as no response. */
  readonly signal: AbortSignal;
  /** Aborted when the server stops. Nothing is saved then, because an interrupted observation is incomplete. */
  readonly stop?: AbortSignal | undefined;
  /** See `DecisionContext`. */
  readonly clockTrusted: boolean;
}

/**
 * Observes, decides, saves and acts, and repeats that while it makes progress. After a concurrent save it continues
 * from the saved revision.
 */
export async function reconcileClaim(
  ports: ClaimPorts,
  id: number,
  options: ReconcileOptions,
): Promise<ReconcileResult> {
  const silences: boolean[] = [];
  const resultFor = (claim: Claim | null) => ({ claim, silent: silences.length > 0 && !silences.includes(false) });
  for (let round = 0; round < MAX_ROUNDS && !options.signal.aborted; round++) {
    const claim = await ports.store.claims.find(id);
    if (claim === null || !isOpen(claim)) return resultFor(claim);
    const observation = await observe(claim, ports, options.signal);
    if (options.stop?.aborted) return resultFor(claim);
    silences.push(isSilent(observation));
    // The first observation is always saved, so that the next check is planned.
    if (options.signal.aborted && round > 0) break;
    const decision = decide(claim, { kind: "observed", observation }, decisionContext(ports, options.clockTrusted));
    if (!(await record(ports, decision, options.clockTrusted))) continue;
    const done = await act(ports, decision, options.clockTrusted);
    if (!done || !decision.checkAgain) break;
  }
  return resultFor(await ports.store.claims.find(id));
}

/** Applies an event to the latest revision of a claim. Returns the claim with it; null when it does not exist. */
export async function applyEvent(ports: ClaimPorts, id: number, event: ClaimEvent): Promise<Claim | null> {
  // The job that ends expired claims waits for a clock that can be trusted. Other events do not depend on the time.
  const clockTrusted = true;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const claim = await ports.store.claims.find(id);
    if (claim === null) return null;
    const decision = decide(claim, event, decisionContext(ports, clockTrusted));
    if (!(await record(ports, decision, clockTrusted))) continue;
    await act(ports, decision, clockTrusted);
    return decision.claim;
  }
  return ports.store.claims.find(id);
}

/** Removes a route: releases the certificate, then ends the claim. Failures are recorded and retried. */
export async function removeRoute(ports: ClaimPorts, id: number): Promise<void> {
  const claim = await ports.store.claims.find(id);
  if (claim?.routeStatus !== "removing") return;
  try {
    await ports.certificates.release(claim.hostname);
  } catch (error) {
    const failure = `the certificate of ${claim.hostname} could not be removed: ${messageOf(error)}`;
    await applyEvent(ports, id, { kind: "route_step_failed", error: failure });
    return;
  }
  await applyEvent(ports, id, { kind: "route_removed" });
}

// --- internal ---

function decisionContext({ clock, random, domains, edge }: ClaimPorts, clockTrusted: boolean): DecisionContext {
  return {
    now: clock.now(),
    random,
    clockTrusted,
    targets: domains.targets,
    rangesVersion: edge.version,
    tls: domains.tls,
    own: domains.own,
  };
}

function isSilent({ proof, addresses }: Observation): boolean {
  return proof.kind === "silent" && (addresses === null || addresses.kind === "silent");
}

const EVENT_FOR_HOLDER = {
  notify_holder_proof_seen: "proof_seen_by_other",
  notify_holder_proof_missed: "proof_missed_by_other",
  overtake_holder: "overtaken",
} as const;

/** Saves the claim and the events for the holder of the hostname in one transaction. False: observe again. */
async function record(ports: ClaimPorts, decision: Decision, clockTrusted: boolean): Promise<boolean> {
  const { claims } = ports.store;
  const changed = [decision.claim];
  for (const action of decision.actions) {
    if (!(action in EVENT_FOR_HOLDER)) continue;
    const holder = await claims.findHolder(decision.claim.hostname);
    if (holder === null || holder.id === decision.claim.id) return false;
    const kind = EVENT_FOR_HOLDER[action as keyof typeof EVENT_FOR_HOLDER];
    // The holder is saved first: it must release the hostname before the claim takes it.
    changed.unshift(decide(holder, { kind }, decisionContext(ports, clockTrusted)).claim);
  }
  if ((await claims.save(changed, ports.clock.now())) !== "saved") return false;
  const lost = changed.find(({ id }) => id !== decision.claim.id);
  if (lost?.routeStatus === "removing") await removeRoute(ports, lost.id);
  return true;
}

/** Carries out the actions of a decision. False if one of them must wait. */
async function act(ports: ClaimPorts, { claim, actions }: Decision, clockTrusted: boolean): Promise<boolean> {
  if (actions.includes("request_certificate")) await ports.certificates.request(claim.hostname);
  return actions.includes("publish_route") ? publishRoute(ports, claim.id, clockTrusted) : true;
}

async function publishRoute(ports: ClaimPorts, id: number, clockTrusted: boolean): Promise<boolean> {
  const { claims } = ports.store;
  const claim = await claims.find(id);
  if (claim?.routeStatus !== "publishing") return true;
  const { claim: routed } = decide(claim, { kind: "route_published" }, decisionContext(ports, clockTrusted));
  if ((await claims.save([routed], ports.clock.now())) !== "route_taken") return true;
  const error = `${claim.hostname} is still being removed from another site; its route follows at once.`;
  await applyEvent(ports, id, { kind: "route_step_failed", error });
  return false;
}
