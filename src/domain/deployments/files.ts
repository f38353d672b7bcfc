import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { FileEntry, FileQuery } from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";
import { requireDeployment } from "./history.ts";

/** A page of what a folder of a deployment has, or of the files that a search finds, by path. */
export interface FilePage {
  /** The site's own name: the request may have a former one. */
  readonly siteName: string;
  readonly entries: readonly FileEntry[];
  /** The path after which the next page begins; null for the last page. */
  readonly next: string | null;
}

/** Lists the files of a deployment. Throws `not_found` if there is no such deployment; a missing folder is empty. */
export async function listFiles(
  { store }: { readonly store: Pick<Store, "sites" | "deployments"> },
  caller: Caller,
  { siteName, number }: { readonly siteName: string; readonly number: number },
  query: FileQuery,
): Promise<FilePage> {
  const site = await requireSite(store, caller, siteName, "read_deployments");
  const deployment = await requireDeployment(store.deployments, site, number);
  const found = await store.deployments.files(deployment.id, { ...query, limit: query.limit + 1 });
  const entries = found.slice(0, query.limit);
  return { siteName: site.name, entries, next: found.length > query.limit ? (entries.at(-1)?.path ?? null) : null };
}
