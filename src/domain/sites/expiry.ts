import { deletedMeanwhile } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { requireNotFrozenByOperator } from "../model/freeze.ts";
import type { WorkingRole } from "../model/role.ts";
import type { Site } from "../model/site.ts";
import { expiryAfter } from "../model/site-expiry.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

/**
 * Lets a site expire after `lifetime` milliseconds, or stay if it is null, and returns the site. A site that has expired
 * is shown again. Throws `not_found` and `forbidden`.
 */
export async function changeExpiry(
  { store, clock }: { readonly store: Pick<Store, "sites">; readonly clock: Clock },
  caller: Caller,
  siteName: string,
  lifetime: number | null,
): Promise<Site & { readonly role: WorkingRole }> {
  const site = await requireSite(store, caller, siteName, "change_expiry");
  requireNotFrozenByOperator(site);
  const expiry = expiryAfter(clock.now(), lifetime);
  if (!(await store.sites.setExpiry(site.id, expiry))) throw deletedMeanwhile("site");
  return { ...site, role: site.role as WorkingRole, expiresAt: expiry.expiresAt, expired: false };
}
