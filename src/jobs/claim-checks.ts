import { checkUnderLease } from "../domain/claims/check.ts";
import { MAX_INTERVAL } from "../domain/claims/schedule.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { CLAIM_BATCH, type ClaimJobPorts, eachClaim } from "./each-claim.ts";
import type { Job } from "./job.ts";

/** Returns the job that checks claims: the record that proves them, the addresses, and the way to this server. */
export function claimChecksJob(ports: ClaimJobPorts): Job {
  const { store, clock } = ports;
  return {
    name: "claim-checks",
    title: "Check custom domains",
    scope: "cluster",
    every: SECOND,
    timeLimit: 15 * MINUTE,
    async run(run) {
      const due = await store.claims.listDue(clock.now(), clock.now() + MAX_INTERVAL, CLAIM_BATCH);
      const options = { clockTrusted: run.clockTrusted, stop: run.signal };
      await eachClaim(ports, "the check of claim", due, run, (id) => checkUnderLease(ports, id, options));
    },
  };
}
