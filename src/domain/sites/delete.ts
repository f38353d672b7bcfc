import { DomainError } from "../errors.ts";
import { requireSite, unknownSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";

/**
 * The time for which a deleted site's name is reserved for its owner: links, cookies and service workers outlive a
 * site.
 */
export const NAME_KEPT_MS = 30 * DAY;

/**
 * Deletes a site with all its deployments, tokens and readers in one transaction.
 * Throws `not_found`, `forbidden`, or `conflict` while a custom domain has not completed removal.
 */
export async function deleteSite(
  ports: { readonly store: Pick<Store, "sites">; readonly clock: Clock },
  caller: Caller,
  name: string,
): Promise<void> {
  await removeSite(ports, await requireSite(ports.store, caller, name, "delete"));
}

/** Like `deleteSite`, without a permission check. */
export async function removeSite(
  ports: { readonly store: Pick<Store, "sites">; readonly clock: Clock },
  { id, name }: Pick<Site, "id" | "name">,
): Promise<void> {
  const now = ports.clock.now();
  const outcome = await ports.store.sites.delete(id, now, now + NAME_KEPT_MS);
  if (outcome === "missing") throw unknownSite(name);
  if (outcome === "has_domains") {
    throw new DomainError(
      "conflict",
      "every custom domain must complete removal first: remove the site's domains, then delete it",
    );
  }
}
