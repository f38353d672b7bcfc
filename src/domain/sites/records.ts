import type { DomainError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Operation } from "../model/role.ts";
import type { Store } from "../ports/store.ts";

/** The part of a store whose records each belong to a site, such as that of webhooks. */
interface RecordsOfSites<T> {
  listOfSite(siteId: number): Promise<readonly T[]>;
  /** Returns false if the site has no such record. */
  delete(siteId: number, id: string): Promise<boolean>;
}

/** Returns the records of a site, for a caller who may call the operation. Throws `not_found` and `forbidden`. */
export async function listOfSite<T>(
  store: Pick<Store, "sites">,
  records: Pick<RecordsOfSites<T>, "listOfSite">,
  caller: Caller,
  { siteName, operation }: { readonly siteName: string; readonly operation: Operation },
): Promise<readonly T[]> {
  const site = await requireSite(store, caller, siteName, operation);
  return records.listOfSite(site.id);
}

/**
 * Deletes a record of a site, for a caller who may call the operation. Throws `not_found` and `forbidden`, and `missing`
 * if the site has no such record.
 */
export async function deleteFromSite(
  store: Pick<Store, "sites">,
  records: Pick<RecordsOfSites<unknown>, "delete">,
  caller: Caller,
  {
    siteName,
    operation,
    id,
    missing,
  }: {
    readonly siteName: string;
    readonly operation: Operation;
    readonly id: string;
    readonly missing: DomainError;
  },
): Promise<void> {
  const site = await requireSite(store, caller, siteName, operation);
  if (!(await records.delete(site.id, id))) throw missing;
}
