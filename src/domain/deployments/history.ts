import { DomainError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { Deployment } from "../model/deployment.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import type { Manifest } from "../model/manifest.ts";
import type { Page } from "../model/page.ts";
import { requireMayActivate } from "../model/permission.ts";
import { type OfSite, ofSite, type Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

interface HistoryPorts {
  readonly store: Pick<Store, "sites" | "deployments">;
  readonly clock: Clock;
}

/** Returns a page of the site's deployments, newest first. `before` is an exclusive deployment number. */
export async function listDeployments(
  ports: HistoryPorts,
  caller: Caller,
  name: string,
  page: Page,
): Promise<readonly OfSite<Deployment>[]> {
  const site = await requireSite(ports.store, caller, name, "list_deployments");
  const deployments = await ports.store.deployments.list(site.id, page);
  return deployments.map((deployment) => ofSite(site, deployment));
}

/** Activates an existing deployment. Throws `not_found` and `forbidden`. */
export async function activateDeployment(
  ports: HistoryPorts,
  caller: Caller,
  name: string,
  number: number,
): Promise<OfSite<Deployment>> {
  const site = await requireSite(ports.store, caller, name, "activate");
  requireMayActivate(caller);
  requireUnfrozenSite(site);
  const deployment = await ports.store.deployments.activate(site.id, number, ports.clock.now());
  return ofSite(site, deployment ?? noSuchDeployment(site.name, number));
}

/** Returns the manifest of a deployment with the site's own name, for download. */
export async function exportDeployment(
  ports: HistoryPorts,
  caller: Caller,
  name: string,
  number: number,
): Promise<{ readonly siteName: string; readonly manifest: Manifest }> {
  const site = await requireSite(ports.store, caller, name, "read_deployments");
  const deployment = await requireDeployment(ports.store.deployments, site, number);
  const manifest = await ports.store.deployments.manifest(deployment.id);
  return manifest ? { siteName: site.name, manifest } : noSuchDeployment(site.name, number);
}

/** Returns a deployment of the site; throws `not_found`. */
export async function requireDeployment(
  deployments: Store["deployments"],
  site: Pick<Site, "id" | "name">,
  number: number,
): Promise<Deployment> {
  return (await deployments.find(site.id, number)) ?? noSuchDeployment(site.name, number);
}

export function noSuchDeployment(name: string, number: number): never {
  throw new DomainError("not_found", `${name} has no deployment ${number}`);
}
