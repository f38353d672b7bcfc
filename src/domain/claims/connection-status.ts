import type { Claim } from "./claim.ts";

type ConnectionStatus = "waiting_for_dns" | "securing" | "connected" | "updating" | "action_needed";

/** Returns what the facts of a claim amount to for its owner. */
export function connectionStatus(claim: Claim): ConnectionStatus {
  if (claim.status === "pending") return "waiting_for_dns";
  // An ended claim waits for nothing; when it ended against the owner's will, `lastError` says what to do.
  if (claim.status !== "verified") return claim.lastError === null ? "waiting_for_dns" : "action_needed";
  if (claim.withdrawnAt !== null) return "updating";
  if (claim.targetMode !== null) return claim.transitionError === null ? "updating" : "action_needed";
  return claim.activatedAt === null ? beforeActivation(claim) : afterActivation(claim);
}

/** Whether a name that was connected is without its certificate, and goes step by step until it has it. */
export function awaitsCertificateAgain({ activatedAt, ladder }: Pick<Claim, "activatedAt" | "ladder">): boolean {
  return activatedAt !== null && ladder === "step";
}

// --- internal ---

function beforeActivation(claim: Claim): ConnectionStatus {
  if (claim.astraySince !== null || claim.observedMode === null) return "waiting_for_dns";
  if (claim.activationError !== null) return "action_needed";
  const leadsHere = claim.observedMode === "direct" || claim.observedMode === "proxy";
  // A resolver that failed in between takes nothing back.
  const unknown = claim.observedMode === "unavailable" && claim.challengeSeenAt !== null;
  return leadsHere || unknown ? "securing" : "waiting_for_dns";
}

function afterActivation(claim: Claim): ConnectionStatus {
  if (claim.astraySince !== null || claim.activationError !== null) return "action_needed";
  return awaitsCertificateAgain(claim) ? "securing" : "connected";
}
