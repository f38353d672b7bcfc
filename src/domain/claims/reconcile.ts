import { type Claim, isOpen } from "./claim.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { type ClaimEvent, decide } from "./decide.ts";
import type { Decision, DecisionContext } from "./decision.ts";
import type { Observation } from "./observation.ts";
import { observe } from "./observe.ts";

/** Looks that one walk takes at most: proof, route, first connection, and room for others who save in between. */
const MAX_ROUNDS = 8;

export interface ReconcileResult {
  /** The claim as it was last recorded; null when there is none. */
  readonly claim: Claim | null;
  /** Whether no resolver answered at all. */
  readonly silent: boolean;
}

export interface ReconcileOptions {
  /** Ends the looking: what was not seen by then counts as not answered. */
  readonly signal: AbortSignal;
  /** The server stops: nothing more is recorded, because what a cut-off look shows is not so. */
  readonly stop?: AbortSignal | undefined;
  /** See `DecisionContext`. */
  readonly clockTrusted: boolean;
}

/**
 * Walks a claim as far as it comes for now: observe, decide, record, act, and again while that can find more.
 * Somebody else's save in between is no harm: the walk goes on from what they recorded.
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
    // The first look is recorded however little it brought, so that the next one is planned.
    if (options.signal.aborted && round > 0) break;
    const decision = decide(claim, { kind: "observed", observation }, circumstances(ports, options.clockTrusted));
    if (!(await record(ports, decision, options.clockTrusted))) continue;
    const done = await act(ports, decision, options.clockTrusted);
    if (!done || !decision.lookAgain) break;
  }
  return resultFor(await ports.store.claims.find(id));
}

/** Records what happened to a claim, from its latest revision, and acts on it. Returns the claim; null when it is gone. */
export async function applyEvent(
  ports: ClaimPorts,
  id: number,
  happening: ClaimEvent,
  clockTrusted = true,
): Promise<Claim | null> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const claim = await ports.store.claims.find(id);
    if (claim === null) return null;
    const decision = decide(claim, happening, circumstances(ports, clockTrusted));
    if (!(await record(ports, decision, clockTrusted))) continue;
    await act(ports, decision, clockTrusted);
    break;
  }
  return ports.store.claims.find(id);
}

/** Takes a route that is to go out of service: its certificate, then the claim's own end. Failures are recorded and tried again. */
export async function removeRoute(ports: ClaimPorts, id: number): Promise<void> {
  const claim = await ports.store.claims.find(id);
  if (claim?.routeStatus !== "removing") return;
  try {
    await ports.certificates.release(claim.hostname);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure = `the certificate of ${claim.hostname} could not be removed: ${reason}`;
    await applyEvent(ports, id, { kind: "route_step_failed", error: failure });
    return;
  }
  await applyEvent(ports, id, { kind: "route_removed" });
}

// --- internal ---

function circumstances({ clock, random, domains, edge }: ClaimPorts, clockTrusted: boolean): DecisionContext {
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

const TOLD_TO_HOLDER = {
  tell_holder_proof_seen: "proof_seen_by_other",
  tell_holder_proof_missed: "proof_missed_by_other",
  overtake_holder: "overtaken",
} as const;

/** Saves the claim, in one step with what the decision means for the holder of the same hostname. False: look again. */
async function record(ports: ClaimPorts, decision: Decision, clockTrusted: boolean): Promise<boolean> {
  const { claims } = ports.store;
  const changed = [decision.claim];
  for (const action of decision.actions) {
    if (!(action in TOLD_TO_HOLDER)) continue;
    const holder = await claims.findHolder(decision.claim.hostname);
    if (holder === null || holder.id === decision.claim.id) return false;
    const kind = TOLD_TO_HOLDER[action as keyof typeof TOLD_TO_HOLDER];
    // The holder first: it gives the hostname free before the claim takes it.
    changed.unshift(decide(holder, { kind }, circumstances(ports, clockTrusted)).claim);
  }
  if ((await claims.save(changed, ports.clock.now())) !== "saved") return false;
  const lost = changed.find(({ id }) => id !== decision.claim.id);
  if (lost?.routeStatus === "removing") await removeRoute(ports, lost.id);
  return true;
}

/** Does what was decided; false when a part of it has to wait. */
async function act(ports: ClaimPorts, { claim, actions }: Decision, clockTrusted: boolean): Promise<boolean> {
  if (actions.includes("request_certificate")) await ports.certificates.request(claim.hostname);
  return actions.includes("publish_route") ? publishRoute(ports, claim.id, clockTrusted) : true;
}

async function publishRoute(ports: ClaimPorts, id: number, clockTrusted: boolean): Promise<boolean> {
  const { claims } = ports.store;
  const claim = await claims.find(id);
  if (claim?.routeStatus !== "publishing") return true;
  const { claim: routed } = decide(claim, { kind: "route_published" }, circumstances(ports, clockTrusted));
  if ((await claims.save([routed], ports.clock.now())) !== "route_taken") return true;
  const error = `${claim.hostname} is still being removed from another site; its route follows at once.`;
  await applyEvent(ports, id, { kind: "route_step_failed", error });
  return false;
}
