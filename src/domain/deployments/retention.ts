import { inBatches } from "../in-batches.ts";
import { requireChangeableSite, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { type OwnRetentionPolicy, policyInForce, type RetentionPolicy } from "../model/retention.ts";
import type { HeldLease } from "../ports/store/jobs.ts";
import type { PolicyChange, RetainedDeployment } from "../ports/store/retention.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { DAY } from "../timestamp.ts";
import { noSuchDeployment } from "./history.ts";

/** The deployments of a site that retention deletes or would delete. */
interface Expendable {
  readonly siteName: string;
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Size of the files that no other deployment of any site contains. */
  readonly bytes: number;
}

/**
 * Returns the deployments that the policy does not keep. It always keeps the active and the previous one, pinned ones,
 * targets of aliases, and those that visitors may still have open.
 */
export function expendable(
  deployments: readonly RetainedDeployment[],
  policy: RetentionPolicy,
  now: number,
): readonly RetainedDeployment[] {
  const { last, days, graceMs } = policy;
  if (last === null && days === null) return [];
  const newestFirst = [...deployments].sort((one, other) => other.number - one.number);
  const previous = previousOf(newestFirst);
  return newestFirst.filter((deployment, rank) => {
    const { active, pinned, aliased } = deployment;
    if (active || pinned || aliased || deployment === previous) return false;
    const lastSeen = Math.max(deployment.createdAt, deployment.activatedAt ?? 0, deployment.replacedAt ?? 0);
    if (deployment.replacedAt !== null && deployment.replacedAt >= now - graceMs) return false;
    const keptByRank = last !== null && rank < last;
    const keptByAge = days !== null && lastSeen > now - days * DAY;
    return !keptByRank && !keptByAge;
  });
}

interface RetentionPorts {
  readonly store: Pick<Store, "retention">;
  readonly clock: Clock;
}

/** A retention plan with the internal IDs of its deployments. */
interface SitePlan extends Omit<Expendable, "siteName"> {
  readonly ids: readonly number[];
}

/** What retention would delete from a site, and by which policy. */
export interface RetentionPlan extends SitePlan {
  readonly siteId: number;
  readonly siteName: string;
  readonly policy: RetentionPolicy;
}

/** Returns what a policy would delete from a site. Read-only. */
async function planSite(
  { store: { retention }, clock }: RetentionPorts,
  siteId: number,
  policy: RetentionPolicy,
): Promise<SitePlan> {
  const given = expendable(await retention.listDeployments(siteId), policy, clock.now());
  const ids = given.map(({ id }) => id);
  const numbers = given.map(({ number }) => number).sort((one, other) => one - other);
  return { ids, numbers, bytes: ids.length === 0 ? 0 : await retention.exclusiveBytes(ids) };
}

/** Returns what retention would delete, with the policy of each site. Omits sites that would lose nothing. */
export async function planRetention(
  ports: RetentionPorts,
  standard: RetentionPolicy,
  onlySite: string | null,
): Promise<readonly RetentionPlan[]> {
  const plans: RetentionPlan[] = [];
  for (const { siteId, siteName, policy: own } of await ports.store.retention.listSites()) {
    if (onlySite !== null && siteName !== onlySite) continue;
    const policy = policyInForce(own, standard);
    const plan = await planSite(ports, siteId, policy);
    if (plan.ids.length > 0) plans.push({ siteId, siteName, policy, ...plan });
  }
  return plans;
}

/**
 * Deletes what the policies do not keep, and returns it. The content is swept within an hour. Throws `conflict` if the
 * job's lease is lost, because the policies may have changed since they were read.
 */
export async function applyRetention(
  ports: RetentionPorts,
  standard: RetentionPolicy,
  onlySite: string | null,
  lease: HeldLease | null = null,
): Promise<readonly Expendable[]> {
  const removed: Expendable[] = [];
  for (const { siteId, siteName, ids, bytes } of await planRetention(ports, standard, onlySite)) {
    const oldestFirst = ids.toSorted((one, other) => one - other);
    const numbers: number[] = [];
    for await (const some of inBatches(oldestFirst, MAX_AT_ONCE)) {
      numbers.push(...(await ports.store.retention.deleteDeployments(siteId, some, ports.clock.now(), lease)));
    }
    if (numbers.length > 0) removed.push({ siteName, numbers, bytes });
  }
  return removed;
}

interface SiteRetentionPorts extends RetentionPorts {
  readonly store: Pick<Store, "sites" | "retention">;
  /** The server's policy. */
  readonly retention: RetentionPolicy;
}

export interface SiteRetention {
  /** The site's own policy; null if the server's applies. */
  readonly own: OwnRetentionPolicy | null;
  readonly effective: RetentionPolicy;
  /** Numbers of pinned deployments, ascending. */
  readonly pinned: readonly number[];
}

export interface RetentionPreview extends Omit<Expendable, "siteName"> {
  readonly policy: RetentionPolicy;
}

/** Returns the retention settings of a site. For the owner only, like all functions below. */
export async function findSiteRetention(
  ports: SiteRetentionPorts,
  caller: Caller,
  name: string,
): Promise<SiteRetention> {
  const { id } = await requireSite(ports.store, caller, name, "read_retention");
  return siteRetention(ports, id);
}

/** Sets the site's own policy, or removes it if null. Without `graceDays`, its grace period stays as it is. */
export async function setSiteRetention(
  ports: SiteRetentionPorts,
  caller: Caller,
  name: string,
  policy: PolicyChange | null,
): Promise<SiteRetention> {
  const site = await requireChangeableSite(ports.store, caller, name, "manage_retention");
  const before = await siteRetention(ports, site.id);
  await ports.store.retention.setPolicy(site.id, policy);
  const own = policy && { graceDays: before.own?.graceDays ?? null, ...policy };
  return { ...before, own, effective: policyInForce(own, ports.retention) };
}

/** Returns what a policy would delete; what `wanted` lacks is as in the effective one. Read-only. */
export async function previewSiteRetention(
  ports: SiteRetentionPorts,
  caller: Caller,
  name: string,
  wanted: Partial<RetentionPolicy>,
): Promise<RetentionPreview> {
  const { id } = await requireSite(ports.store, caller, name, "read_retention");
  const policy = { ...(await siteRetention(ports, id)).effective, ...wanted };
  const { numbers, bytes } = await planSite(ports, id, policy);
  return { policy, numbers, bytes };
}

/** Pins or unpins a deployment. No policy deletes a pinned one. Throws `not_found`. */
export async function pinDeployment(
  { store }: SiteRetentionPorts,
  caller: Caller,
  name: string,
  number: number,
  pinned: boolean,
): Promise<void> {
  const site = await requireChangeableSite(store, caller, name, "manage_retention");
  if (!(await store.retention.setPinned(site.id, number, pinned))) noSuchDeployment(name, number);
}

// --- internal ---

/**
 * Deployments deleted in one transaction. Each may have 50,000 files, and meanwhile nothing else of the site can change.
 */
const MAX_AT_ONCE = 10;

/** The target of an undo: the deployment that was replaced last, otherwise the newest before the active one. */
function previousOf(newestFirst: readonly RetainedDeployment[]): RetainedDeployment | undefined {
  const replaced = newestFirst.filter(({ active, replacedAt }) => !active && replacedAt !== null);
  const latest = Math.max(...replaced.map(({ replacedAt }) => replacedAt ?? 0));
  return replaced.find(({ replacedAt }) => replacedAt === latest) ?? newestFirst.find(({ active }) => !active);
}

async function siteRetention({ store, retention }: SiteRetentionPorts, siteId: number): Promise<SiteRetention> {
  const own = await store.retention.findPolicy(siteId);
  const pinned = (await store.retention.listDeployments(siteId)).filter((deployment) => deployment.pinned);
  const numbers = pinned.map(({ number }) => number).sort((one, other) => one - other);
  return { own, effective: policyInForce(own, retention), pinned: numbers };
}
