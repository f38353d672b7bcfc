import type { Caller } from "../accounts/caller.ts";
import type { Store } from "../ports/store.ts";
import { requireOwnSite } from "../sites/ownership.ts";
import { requireDeployment } from "./history.ts";
import type { ManifestFile } from "./manifest.ts";

export type ChangeKind = "added" | "changed" | "removed";

export interface FileChange {
  readonly path: string;
  readonly change: ChangeKind;
}

/** What a deployment changed against the one before it. */
export interface DeploymentChanges {
  /** Null for a site's first deployment, and where retention removed all earlier ones: it adds everything. */
  readonly comparedWith: number | null;
  readonly unchanged: number;
  /** By path. */
  readonly files: readonly FileChange[];
}

/** Returns what the deployment changed against the one before it, by number. Throws `not_found` and `forbidden`. */
export async function findChanges(
  ports: { readonly store: Pick<Store, "sites" | "deployments"> },
  caller: Caller,
  name: string,
  number: number,
): Promise<DeploymentChanges> {
  const { deployments } = ports.store;
  const site = await requireOwnSite(ports.store, caller, name);
  const deployment = await requireDeployment(deployments, site, number);
  const [previous] = await deployments.list(site.id, { limit: 1, before: number });
  const before = previous ? await deployments.manifest(previous.id) : null;
  const after = await deployments.manifest(deployment.id);
  const comparison = compareFiles(before?.files ?? [], after?.files ?? []);
  return { comparedWith: previous?.number ?? null, ...comparison };
}

/** Compares two states of a site by content: a file with another date and the same bytes is unchanged. */
export function compareFiles(
  before: readonly ManifestFile[],
  after: readonly ManifestFile[],
): Pick<DeploymentChanges, "unchanged" | "files"> {
  const former = new Map(before.map((file) => [file.path, file.digest]));
  const files: FileChange[] = [];
  let unchanged = 0;
  for (const { path, digest } of after) {
    const formerDigest = former.get(path);
    former.delete(path);
    if (formerDigest === digest) unchanged++;
    else files.push({ path, change: formerDigest === undefined ? "added" : "changed" });
  }
  for (const path of former.keys()) files.push({ path, change: "removed" });
  return { unchanged, files: files.sort((one, other) => (one.path < other.path ? -1 : 1)) };
}

/** Whether two states of a site hold the same bytes under the same paths, in whichever order. */
export function hasSameFiles(one: readonly ManifestFile[], other: readonly ManifestFile[]): boolean {
  return one.length === other.length && compareFiles(one, other).files.length === 0;
}
