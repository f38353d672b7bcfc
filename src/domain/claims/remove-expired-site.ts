import { isOpen } from "../model/claim.ts";
import type { Site } from "../model/site.ts";
import { EXPIRED_SITE_KEPT_MS } from "../model/site-expiry.ts";
import { NAME_KEPT_MS } from "../sites/delete.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { applyEvent } from "./reconcile.ts";

/** The action in the audit log. */
export const REMOVED_EXPIRED = "site expiry";

/**
 * Removes a site that expired seven days ago. Its custom domains are removed first, which takes a while: until then the
 * site stays, and the next call goes on.
 */
export async function removeExpiredSite(ports: ClaimPorts, { id, name }: Pick<Site, "id" | "name">): Promise<void> {
  const { claims, sites, audit } = ports.store;
  for (const claim of await claims.listOfSite(id)) {
    if (isOpen(claim)) await applyEvent(ports, claim.id, { kind: "removal_requested" });
  }
  const now = ports.clock.now();
  // A site that was rescued meanwhile stays.
  const condition = { ifExpiredBefore: now - EXPIRED_SITE_KEPT_MS };
  if ((await sites.delete(id, now, now + NAME_KEPT_MS, condition)) !== "deleted") return;
  const byServer = { kind: "server", actor: "", userId: null, address: "" } as const;
  await audit.append({ ...byServer, at: now, action: REMOVED_EXPIRED, site: name, subject: "" });
}
