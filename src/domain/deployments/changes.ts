import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Deployment } from "../model/deployment.ts";
import type { ManifestFile } from "../model/manifest.ts";
import type { Page } from "../model/page.ts";
import { type OfSite, ofSite, type Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";
import { requireDeployment } from "./history.ts";

type ChangeKind = "added" | "changed" | "removed";

interface FileChange {
  readonly path: string;
  readonly change: ChangeKind;
}

/** The changes of a deployment: a preview is compared with the active one, others with the published one before. */
export interface DeploymentChanges {
  /** Null if there is none to compare with, such as for a site's first deployment. All files count as added then. */
  readonly comparedWith: number | null;
  readonly unchanged: number;
  /** Sorted by path. */
  readonly files: readonly FileChange[];
}

/**
 * Compares a deployment with the one numbered `base`; if that is null, with the one that it replaced or would replace.
 * Throws `not_found` and `forbidden`.
 */
export async function findChanges(
  ports: { readonly store: Pick<Store, "sites" | "deployments"> },
  caller: Caller,
  name: string,
  { number, base }: { readonly number: number; readonly base: number | null },
): Promise<DeploymentChanges> {
  const { deployments } = ports.store;
  const site = await requireSite(ports.store, caller, name, "read_deployments");
  const deployment = await requireDeployment(deployments, site, number);
  if (base !== null) return compare(deployments, deployment, await requireDeployment(deployments, site, base));
  return compare(deployments, deployment, await findBase(deployments, site, deployment, []));
}

/**
 * Returns the deployment to compare with. Previews between two published deployments are skipped, because visitors did
 * not see them. `older` are known deployments, newest first, starting with the one before.
 */
async function findBase(
  deployments: Pick<Store["deployments"], "list" | "find">,
  site: Pick<Site, "id" | "activeDeployment">,
  deployment: Deployment,
  older: readonly Deployment[],
): Promise<Deployment | undefined> {
  if (deployment.activatedAt === null) {
    const active = site.activeDeployment;
    return active === null ? undefined : ((await deployments.find(site.id, active)) ?? undefined);
  }
  const known = older.find(wasPublished);
  if (known) return known;
  for (let before = older.at(-1)?.number ?? deployment.number; ; ) {
    const page = await deployments.list(site.id, { limit: SEARCHED_PAGE, before });
    const found = page.find(wasPublished);
    if (found || page.length < SEARCHED_PAGE) return found;
    before = (page.at(-1) as Deployment).number;
  }
}

function wasPublished({ activatedAt }: Deployment): boolean {
  return activatedAt !== null;
}

/** Deployments that are read at a time to find a published one among previews. */
const SEARCHED_PAGE = 100;

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

export type ChangeCounts = Omit<DeploymentChanges, "files"> & Readonly<Record<ChangeKind, number>>;

export interface DeploymentWithChanges {
  readonly deployment: OfSite<Deployment>;
  /** Null if the comparison is slow; `findChanges` then returns it for a single deployment. */
  readonly changes: ChangeCounts | null;
}

/**
 * Comparing two deployments with this many files takes 30 ms, with 50,000 files 200 ms, and a list has many of them.
 */
const MAX_COUNTED_FILES = 10_000;
/** Counts never change and are small: this many are a few megabytes. */
const MAX_REMEMBERED_COUNTS = 10_000;

export type ListChanges = (caller: Caller, name: string, page: Page) => Promise<readonly DeploymentWithChanges[]>;

/**
 * Returns a function that lists a page of a site's deployments, newest first, with their numbers of changed files. For
 * the owner only. Counts are cached, and it yields to the event loop between comparisons.
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
    const site = await requireSite(store, caller, name, "read_deployments");
    // One more than the page, because the last one is usually compared with it.
    const all = await store.deployments.list(site.id, { limit: limit + 1, before });
    const listed: DeploymentWithChanges[] = [];
    for (const [at, deployment] of all.slice(0, limit).entries()) {
      const base = await findBase(store.deployments, site, deployment, all.slice(at + 1));
      listed.push({ deployment: ofSite(site, deployment), changes: await count(deployment, base) });
    }
    return listed;
  };
}

export function countChanges({ comparedWith, unchanged, files }: DeploymentChanges): ChangeCounts {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { change } of files) counts[change] += 1;
  return { comparedWith, unchanged, ...counts };
}

/** Compares two file lists by content: a file with the same bytes is unchanged whatever its date. */
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

/** Returns whether two file lists have the same content under the same paths, in any order. */
export function hasSameFiles(one: readonly ManifestFile[], other: readonly ManifestFile[]): boolean {
  return one.length === other.length && compareFiles(one, other).files.length === 0;
}
