import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import { removeExpiredSite } from "../domain/claims/remove-expired-site.ts";
import { EXPIRED_SITE_KEPT_MS } from "../domain/model/site-expiry.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** Sites in one transaction, or removed in one run. */
const BATCH = 100;

/** Returns the job that announces the end of sites, ends them, and removes them later. */
export function expiredSitesJob(ports: ClaimPorts): Job {
  const { clock, store } = ports;
  return expiryJob({
    name: "expired-sites",
    title: "Expire sites",
    every: 15 * SECOND,
    timeLimit: 10 * MINUTE,
    async run({ signal }) {
      const now = clock.now();
      while ((await store.sites.notifyExpiring(now, BATCH)) > 0) signal.throwIfAborted();
      while ((await store.sites.expire(now, BATCH)) > 0) signal.throwIfAborted();
      for (const site of await store.sites.listExpired(now - EXPIRED_SITE_KEPT_MS, BATCH)) {
        signal.throwIfAborted();
        await removeExpiredSite(ports, site);
      }
    },
  });
}
