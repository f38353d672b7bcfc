import { removeRoute } from "../domain/claims/reconcile.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { CLAIM_BATCH, CLAIM_RETRY_DELAY_MS, type ClaimJobPorts, eachClaim } from "./each-claim.ts";
import type { Job } from "./job.ts";

/** Returns the job that removes the routes of ended claims. */
export function claimRemovalsJob(ports: ClaimJobPorts): Job {
  const { store, clock } = ports;
  return {
    name: "claim-removals",
    title: "Remove custom domains",
    scope: "cluster",
    every: SECOND,
    timeLimit: 5 * MINUTE,
    async run(run) {
      const due = await store.claims.listRemovals(clock.now(), clock.now() + CLAIM_RETRY_DELAY_MS, CLAIM_BATCH);
      await eachClaim(ports, "the removal of claim", due, run, (id) => removeRoute(ports, id));
    },
  };
}
