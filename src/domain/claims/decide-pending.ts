import type { Claim } from "./claim.ts";
import { type Decision, type DecisionContext, settled } from "./decision.ts";
import { expire } from "./ending.ts";
import { proofNotSeen } from "./messages.ts";
import type { HolderSeen, Observation } from "./observation.ts";
import { planNext } from "./schedule.ts";

/** Looks in a row without the holder's record after which another claim with its own wins. */
const MISSES_UNTIL_OVERTAKEN = 2;

/** What a look at the TXT record of a pending claim leads to. */
export function decidePending(before: Claim, observation: Observation, circumstances: DecisionContext): Decision {
  const due = expire(before, circumstances);
  if (due.claim.status !== "pending") return due;
  const claim = { ...before, lastCheckedAt: circumstances.now };
  if (!observation.proven) {
    const lastError = proofNotSeen(claim, observation.proof, observation.unclaimedCounterpart);
    return keepWaiting({ ...claim, lastError }, circumstances);
  }
  return observation.holder === null
    ? verify(claim, circumstances)
    : challengeHolder(claim, observation.holder, circumstances);
}

function keepWaiting(claim: Claim, circumstances: DecisionContext): Decision {
  return settled(planNext(claim, "waiting", circumstances, claim.expiresAt));
}

function verify(claim: Claim, { now }: DecisionContext): Decision {
  const verified: Claim = {
    ...claim,
    status: "verified",
    verifiedAt: now,
    routeStatus: "publishing",
    lastError: null,
    ladder: "step",
    attempts: 0,
    nextCheckAt: now,
  };
  return { claim: verified, actions: ["publish_route"], lookAgain: true };
}

/** Another claim holds the hostname: it loses it once its own record was absent for two looks, this one included. */
function challengeHolder(claim: Claim, holder: HolderSeen, circumstances: DecisionContext): Decision {
  if (holder.proofPresent) {
    const lastError = `${claim.hostname} is held by another site whose own TXT record is there: remove that record first.`;
    const waiting = keepWaiting({ ...claim, lastError }, circumstances);
    return { ...waiting, actions: ["tell_holder_proof_seen"] };
  }
  if (holder.proofMisses + 1 < MISSES_UNTIL_OVERTAKEN) {
    const lastError = `${claim.hostname} is still held by another site, whose TXT record was absent for the first time: the next check decides.`;
    const waiting = keepWaiting({ ...claim, lastError }, circumstances);
    return { ...waiting, actions: ["tell_holder_proof_missed"] };
  }
  const won = verify(claim, circumstances);
  return { ...won, actions: ["overtake_holder", ...won.actions] };
}
