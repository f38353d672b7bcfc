import { applyEvent } from "../domain/claims/reconcile.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { CLAIM_BATCH, type ClaimJobPorts, eachClaim } from "./each-claim.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** Returns the job that ends pending claims which were not verified in time. */
export function claimExpiryJob(ports: ClaimJobPorts): Job {
  const { store, clock } = ports;
  return expiryJob({
    name: "claim-expiry",
    title: "End expired domain claims",
    every: 5 * SECOND,
    timeLimit: 5 * MINUTE,
    async run(run) {
      const expired = await store.claims.listExpired(clock.now(), CLAIM_BATCH);
      await eachClaim(ports, "the expiry of claim", expired, run, (id) =>
        applyEvent(ports, id, { kind: "expiry_due" }),
      );
    },
  });
}
