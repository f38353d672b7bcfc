import type { DomainError } from "../errors.ts";
import type { Caller } from "../model/caller.ts";
import type { Store } from "../ports/store.ts";
import { requireOwnSite } from "./ownership.ts";

/** The part of a store whose records each belong to a site, such as that of webhooks. */
interface RecordsOfSites<T> {
  listOfSite(siteId: number): Promise<readonly T[]>;
  /** Returns false if the site has no such record. */
  delete(siteId: number, id: string): Promise<boolean>;
}

/** Returns the records of the caller's site. Throws `not_found` and `forbidden`. */
export async function listOfOwnSite<T>(
  store: Pick<Store, "sites">,
  records: Pick<RecordsOfSites<T>, "listOfSite">,
  caller: Caller,
  siteName: string,
): Promise<readonly T[]> {
  const site = await requireOwnSite(store, caller, siteName);
  return records.listOfSite(site.id);
}

/** Deletes a record of the caller's site. Throws `not_found` and `forbidden`, and `missing` if the site has no such record. */
export async function deleteFromOwnSite(
  store: Pick<Store, "sites">,
  records: Pick<RecordsOfSites<unknown>, "delete">,
  caller: Caller,
  { siteName, id, missing }: { readonly siteName: string; readonly id: string; readonly missing: DomainError },
): Promise<void> {
  const site = await requireOwnSite(store, caller, siteName);
  if (!(await records.delete(site.id, id))) throw missing;
}
