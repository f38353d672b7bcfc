import type { Caller } from "../accounts/caller.ts";
import type { Store } from "../ports/store.ts";
import { requireUnfrozenSite } from "../sites/freeze.ts";
import { requireOwnSite } from "../sites/ownership.ts";
import { noSuchDeployment } from "./history.ts";
import { planSite, type RetentionPolicy, type RetentionPorts } from "./retention.ts";

interface SiteRetentionPorts extends RetentionPorts {
  readonly store: Pick<Store, "sites" | "retention">;
  /** The server's policy. */
  readonly retention: RetentionPolicy;
}

/** What decides which deployments of a site stay. */
export interface SiteRetention {
  /** The site's own policy; null where the server default holds. */
  readonly own: RetentionPolicy | null;
  readonly effective: RetentionPolicy;
  /** Numbers of pinned deployments, ascending. */
  readonly pinned: readonly number[];
}

/** What a policy would remove. */
export interface RetentionPreview {
  readonly policy: RetentionPolicy;
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Length of the files that no other deployment of any site has. */
  readonly bytes: number;
}

/** Returns what decides which of the site's deployments stay. For the owner alone, as all below. */
export async function findSiteRetention(
  ports: SiteRetentionPorts,
  caller: Caller,
  name: string,
): Promise<SiteRetention> {
  const { id } = await requireOwnSite(ports.store, caller, name);
  return siteRetention(ports, id);
}

/** Gives the site a policy of its own, or takes it away where it is null. Without any rule all deployments stay. */
export async function setSiteRetention(
  ports: SiteRetentionPorts,
  caller: Caller,
  name: string,
  policy: RetentionPolicy | null,
): Promise<SiteRetention> {
  const site = await requireOwnSite(ports.store, caller, name);
  requireUnfrozenSite(site);
  await ports.store.retention.setPolicy(site.id, policy);
  return siteRetention(ports, site.id);
}

/** Returns what a policy would remove, by default the one that holds; removes nothing. */
export async function previewSiteRetention(
  ports: SiteRetentionPorts,
  caller: Caller,
  name: string,
  wanted: RetentionPolicy | null,
): Promise<RetentionPreview> {
  const { id } = await requireOwnSite(ports.store, caller, name);
  const policy = wanted ?? (await siteRetention(ports, id)).effective;
  const { numbers, bytes } = await planSite(ports, id, policy);
  return { policy, numbers, bytes };
}

/** Pins a deployment, which then stays whatever the policy says, or lets it go. Throws `not_found`. */
export async function pinDeployment(
  { store }: SiteRetentionPorts,
  caller: Caller,
  name: string,
  number: number,
  pinned: boolean,
): Promise<void> {
  const site = await requireOwnSite(store, caller, name);
  requireUnfrozenSite(site);
  if (!(await store.retention.setPinned(site.id, number, pinned))) noSuchDeployment(name, number);
}

// --- internal ---

async function siteRetention({ store, retention }: SiteRetentionPorts, siteId: number): Promise<SiteRetention> {
  const own = await store.retention.findPolicy(siteId);
  const pinned = (await store.retention.listDeployments(siteId)).filter((deployment) => deployment.pinned);
  const numbers = pinned.map(({ number }) => number).sort((one, other) => one - other);
  return { own, effective: own ?? retention, pinned: numbers };
}
