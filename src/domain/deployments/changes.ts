import type { Caller } from "../accounts/caller.ts";
import type { Store } from "../ports/store.ts";
import { requireOwnSite } from "../sites/ownership.ts";
import type { Deployment } from "./deployment.ts";
import { requireDeployment } from "./history.ts";
import type { ManifestFile } from "./manifest.ts";

type ChangeKind = "added" | "changed" | "removed";

interface FileChange {
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
  return compare(deployments, deployment, previous);
}

async function compare(
  deployments: Pick<Store["deployments"], "manifest">,
  deployment: Deployment,
  previous: Deployment | undefined,
): Promise<DeploymentChanges> {
  const before = previous ? await deployments.manifest(previous.id) : null;
  const after = await deployments.manifest(deployment.id);
  const comparison = compareFiles(before?.files ?? [], after?.files ?? []);
  return { comparedWith: previous?.number ?? null, ...comparison };
}

/** How many files a deployment changed against the one before it. */
export interface ChangeCounts extends Readonly<Record<ChangeKind, number>> {
  readonly comparedWith: number | null;
  readonly unchanged: number;
}

export interface DeploymentWithChanges {
  readonly deployment: Deployment;
  /** Null where a comparison takes long: of such a deployment it is asked for alone, by `findChanges`. */
  readonly changes: ChangeCounts | null;
}

/** Comparing two deployments of so many files takes 30 ms, of 50,000 files 200 ms, which a list would multiply. */
const MAX_COUNTED_FILES = 10_000;
/** Counts never change and are small; so many are some megabytes. */
const MAX_REMEMBERED_COUNTS = 10_000;

export type ListChanges = (
  caller: Caller,
  name: string,
  page: { readonly limit: number; readonly before: number | null },
) => Promise<readonly DeploymentWithChanges[]>;

/**
 * Returns what lists a page of a site's deployments, newest first, each with how many files it changed. For the owner
 * alone. What was counted once is remembered; between two comparisons others have their turn.
 */
export function makeListChanges({
  store,
  sleep,
}: {
  readonly store: Pick<Store, "sites" | "deployments">;
  readonly sleep: (milliseconds: number) => Promise<void>;
}): ListChanges {
  const known = new Map<string, ChangeCounts>();
  const count = async (deployment: Deployment, previous: Deployment | undefined): Promise<ChangeCounts | null> => {
    const key = `${deployment.id} ${previous?.id}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    if (Math.max(deployment.fileCount, previous?.fileCount ?? 0) > MAX_COUNTED_FILES) return null;
    await sleep(0);
    const changes = await compare(store.deployments, deployment, previous);
    const counts = countChanges(changes);
    if (known.size >= MAX_REMEMBERED_COUNTS) known.clear();
    known.set(key, counts);
    return counts;
  };
  return async (caller, name, { limit, before }) => {
    const site = await requireOwnSite(store, caller, name);
    // One more than is listed: the last one is compared with it.
    const all = await store.deployments.list(site.id, { limit: limit + 1, before });
    const listed: DeploymentWithChanges[] = [];
    for (const [at, deployment] of all.slice(0, limit).entries()) {
      listed.push({ deployment, changes: await count(deployment, all[at + 1]) });
    }
    return listed;
  };
}

export function countChanges({ comparedWith, unchanged, files }: DeploymentChanges): ChangeCounts {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { change } of files) counts[change] += 1;
  return { comparedWith, unchanged, ...counts };
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
