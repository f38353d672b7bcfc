import type { Caller } from "../accounts/caller.ts";
import { withDeadline } from "../deadline.ts";
import { DomainError } from "../errors.ts";
import { requireUnfrozenSite } from "../sites/freeze.ts";
import { requireSiteOfOwner } from "../sites/ownership.ts";
import type { Site } from "../sites/site.ts";
import { SECOND } from "../timestamp.ts";
import { type Claim, isOpen } from "./claim.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { type ReconcileOptions, type ReconcileResult, reconcileClaim } from "./reconcile.ts";

/** How long a walk may take, how long its turn is kept for it, and how long others wait for its result. */
const WALK_TIME = 22 * SECOND;
const TURN = 30 * SECOND;
const WAIT_LIMIT_MS = 27 * SECOND;

/** A check within this time of the last one shares its result. */
const SHARED_FOR = SECOND;

/** How often a waiting caller looks whether the running check has ended. */
const LOOK_EVERY = 50;

export interface ClaimRequest {
  readonly siteName: string;
  readonly claimId: number;
}

/** Returns a claim of a site of the caller's. Throws `not_found` and `forbidden`. */
export async function requireOwnClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  return requireClaim(ports, await requireSiteOfOwner(ports.store, caller, request.siteName), request.claimId);
}

/** The same for a change: throws `forbidden` also for a frozen site. */
export async function requireChangeableClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  const site = await requireSiteOfOwner(ports.store, caller, request.siteName);
  const claim = await requireClaim(ports, site, request.claimId);
  requireUnfrozenSite(site);
  return claim;
}

async function requireClaim({ store }: ClaimPorts, site: Site, id: number): Promise<Claim> {
  const claim = await store.claims.find(id);
  if (claim?.siteId === site.id) return claim;
  throw new DomainError("not_found", `domain claim does not exist: ${site.name} has no claim ${id}`);
}

/** Returns the claims of a site of the caller's, ended ones included, newest first. */
export async function listClaims(ports: ClaimPorts, caller: Caller, siteName: string): Promise<readonly Claim[]> {
  const site = await requireSiteOfOwner(ports.store, caller, siteName);
  return ports.store.claims.listOfSite(site.id);
}

/**
 * Checks a claim now and returns it after the walk. Throws `not_found`, `forbidden`, `conflict` for a claim that has
 * ended, and `unavailable` when no resolver answers at all; then nothing of the claim is lost.
 */
export async function checkClaim(ports: ClaimPorts, caller: Caller, request: ClaimRequest): Promise<Claim> {
  const claim = await requireOwnClaim(ports, caller, request);
  if (!isOpen(claim)) {
    const isLeaving = claim.withdrawnAt !== null && claim.status === "verified";
    const [state, advice] = isLeaving
      ? ["being removed", "wait a minute, and claim it again"]
      : [claim.status, "claim it again"];
    throw new DomainError("conflict", `the claim of ${claim.hostname} is ${state} and cannot be checked: ${advice}`);
  }
  const result = await sharedCheck(ports, claim.id);
  if (result.silent) {
    const detail = `no DNS resolver answers, so that ${claim.hostname} cannot be checked: try again in a moment`;
    throw new DomainError("unavailable", detail, { retryAfter: 10 });
  }
  return result.claim ?? claim;
}

/** Checks a claim unless somebody else does, in whichever thread: then waits for their result and shares it. */
async function sharedCheck(ports: ClaimPorts, id: number): Promise<ReconcileResult> {
  const { timers } = ports;
  const deadline = timers.elapsed() + WAIT_LIMIT_MS;
  for (;;) {
    const own = await checkInTurn(ports, id, { clockTrusted: true });
    if (own.outcome === "walked") return own.result;
    if (own.outcome === "done" || timers.elapsed() > deadline) {
      return { claim: await ports.store.claims.find(id), silent: own.outcome === "done" && own.silent };
    }
    await timers.wait(LOOK_EVERY);
  }
}

type InTurn =
  | { readonly outcome: "walked"; readonly result: ReconcileResult }
  | { readonly outcome: "running" }
  | { readonly outcome: "done"; readonly silent: boolean };

/** Walks a claim if nobody else does at this moment or has just done so. */
export async function checkInTurn(
  ports: ClaimPorts,
  id: number,
  options: Pick<ReconcileOptions, "clockTrusted" | "stop">,
): Promise<InTurn> {
  const { store, clock, timers, secrets } = ports;
  const holder = Array.from(secrets.random(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const now = clock.now();
  const turn = await store.claims.takeCheck(id, { holder, now, until: now + TURN, shareFor: SHARED_FOR });
  if (turn.outcome !== "begun") return turn;
  let silent = false;
  try {
    const result = await withDeadline(timers, WALK_TIME, options.stop, (signal) =>
      reconcileClaim(ports, id, { ...options, signal }),
    );
    silent = result.silent;
    return { outcome: "walked", result };
  } finally {
    await store.claims.giveBackCheck(id, { holder, now: clock.now(), silent });
  }
}
