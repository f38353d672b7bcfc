import { isOpen } from "../model/claim.ts";
import { EXPIRED_SITE_KEPT_MS } from "../model/site-expiry.ts";
import { NAME_KEPT_MS } from "../sites/delete.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { applyEvent } from "./reconcile.ts";

/**
 * Removes a site that expired seven days ago. Its custom domains are removed first, which takes a while: until then the
 * site stays, and the next call goes on.
 */
export async function removeExpiredSite(ports: ClaimPorts, siteId: number): Promise<void> {
  const { claims, sites } = ports.store;
  for (const claim of await claims.listOfSite(siteId)) {
    if (isOpen(claim)) await applyEvent(ports, claim.id, { kind: "removal_requested" });
  }
  const now = ports.clock.now();
  // A site that was rescued meanwhile stays.
  await sites.delete(siteId, now, now + NAME_KEPT_MS, { ifExpiredBefore: now - EXPIRED_SITE_KEPT_MS });
}
