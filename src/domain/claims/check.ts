import { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import { type Claim, isOpen } from "../model/claim.ts";
import { withDeadline } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";
import { leaseHolder } from "./check-lease.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { type ClaimRequest, requireOwnClaim } from "./own-claim.ts";
import { type ReconcileOptions, type ReconcileResult, reconcileClaim } from "./reconcile.ts";

/** The time limit of a check, the duration of its lease, and the time that other callers wait for its result. */
const CHECK_TIME_MS = 22 * SECOND;
const LEASE_MS = 30 * SECOND;
const WAIT_LIMIT_MS = 27 * SECOND;

/** A check that starts within this time after another shares its result. */
const SHARE_RESULT_MS = SECOND;

const POLL_INTERVAL_MS = 50;

/**
 * Checks a claim now and returns its new state. Throws `not_found`, `forbidden`, `conflict` for a claim that has
 * ended, and `unavailable` if no resolver answers; the claim is unchanged then.
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

/** Checks a claim. If a check already runs, in any thread, waits for its result instead. */
async function sharedCheck(ports: ClaimPorts, id: number): Promise<ReconcileResult> {
  const { timers } = ports;
  const deadline = timers.elapsed() + WAIT_LIMIT_MS;
  for (;;) {
    const own = await checkUnderLease(ports, id, { clockTrusted: true });
    if (own.outcome === "checked") return own.result;
    if (own.outcome === "done" || timers.elapsed() > deadline) {
      return { claim: await ports.store.claims.find(id), silent: own.outcome === "done" && own.silent };
    }
    await timers.wait(POLL_INTERVAL_MS);
  }
}

type UnderLease =
  | { readonly outcome: "checked"; readonly result: ReconcileResult }
  | { readonly outcome: "running" }
  | { readonly outcome: "done"; readonly silent: boolean };

/** Checks a claim unless a check runs or has just ended. */
export async function checkUnderLease(
  ports: ClaimPorts,
  id: number,
  options: Pick<ReconcileOptions, "clockTrusted" | "stop">,
): Promise<UnderLease> {
  const { store, clock, timers, secrets } = ports;
  const holder = leaseHolder(ports.node, secrets.random(8).toHex());
  const now = clock.now();
  const lease = await store.claims.takeCheck(id, { holder, now, until: now + LEASE_MS, shareFor: SHARE_RESULT_MS });
  if (lease.outcome !== "begun") return lease;
  let silent = false;
  try {
    const result = await withDeadline(timers, CHECK_TIME_MS, options.stop, (signal) =>
      reconcileClaim(ports, id, { ...options, signal }),
    );
    silent = result.silent;
    return { outcome: "checked", result };
  } finally {
    await store.claims.releaseCheck(id, { holder, now: clock.now(), silent });
  }
}
