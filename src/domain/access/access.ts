import type { Caller } from "../accounts/caller.ts";
import type { Store } from "../ports/store.ts";
import { requireUnfrozenSite } from "../sites/freeze.ts";
import { requireSiteOfOwner } from "../sites/ownership.ts";

/** Returns whether the caller's site is private. */
export async function findAccess(
  ports: { store: Pick<Store, "sites"> },
  caller: Caller,
  siteName: string,
): Promise<{ readonly private: boolean }> {
  return { private: (await requireSiteOfOwner(ports.store, caller, siteName)).private };
}

/** Makes the caller's site private or public; visitors see it with their next request. Repeating it changes nothing. */
export async function setAccess(
  ports: { store: Pick<Store, "sites"> },
  caller: Caller,
  siteName: string,
  isPrivate: boolean,
): Promise<{ readonly private: boolean }> {
  const site = await requireSiteOfOwner(ports.store, caller, siteName);
  requireUnfrozenSite(site);
  if (site.private !== isPrivate) await ports.store.sites.setPrivate(site.id, isPrivate);
  return { private: isPrivate };
}
