import { DomainError, hasMaximum } from "../errors.ts";
import { requireChangeableSite, requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { isOpen } from "../model/claim.ts";
import { mayActivate } from "../model/permission.ts";
import { type Alias, MAX_ALIASES, type PreviewPolicy } from "../model/preview.ts";
import { type OfSite, ofSite } from "../model/site.ts";
import { requireMayMakePublic, type SitePolicy } from "../model/site-policy.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { requireAliasLabel } from "./alias-label.ts";
import { noSuchDeployment } from "./history.ts";

interface PreviewPorts {
  readonly store: Pick<Store, "sites" | "previews" | "claims">;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "sha256">;
}

/** An alias of a site, with its name as requested. */
interface NamedAlias {
  readonly siteName: string;
  readonly alias: string;
}

/**
 * Returns the site's aliases by name. The owner and the site's deployment tokens may call this and all changes of
 * aliases.
 */
export async function listAliases(
  ports: PreviewPorts,
  caller: Caller,
  siteName: string,
): Promise<readonly OfSite<Alias>[]> {
  const site = await requireSite(ports.store, caller, siteName, "list_deployments");
  const aliases = await ports.store.previews.listAliases(site.id);
  return aliases.map((alias) => ofSite(site, alias));
}

/**
 * Points an alias to a deployment in one transaction. Throws `validation` for an invalid alias, `not_found` if the site
 * has no such deployment, `forbidden` if a custom domain shows the alias and the caller may only make previews, and
 * `conflict` above the limit.
 */
export async function setAlias(
  ports: PreviewPorts,
  caller: Caller,
  named: NamedAlias,
  { deploymentNumber, lifetime }: { readonly deploymentNumber: number; readonly lifetime: number | null },
): Promise<{ readonly alias: OfSite<Alias>; readonly isNew: boolean }> {
  const { site, name } = await requireMovable(ports, caller, named);
  const at = ports.clock.now();
  const expiresAt = lifetime === null ? null : at + lifetime;
  const result = await ports.store.previews.setAlias(site.id, { name, deploymentNumber, expiresAt, at });
  if (result === "missing") return noSuchDeployment(site.name, deploymentNumber);
  if (result === "too_many") throw tooManyAliases(site.name);
  return { ...result, alias: ofSite(site, result.alias) };
}

/**
 * Removes an alias but not its deployment. Returns its label. Throws `not_found`, and `forbidden` like `setAlias`.
 */
export async function removeAlias(ports: PreviewPorts, caller: Caller, named: NamedAlias): Promise<string> {
  const { site, name } = await requireMovable(ports, caller, named);
  if (await ports.store.previews.deleteAlias(site.id, name)) return name;
  throw noSuchAlias(site.name, name);
}

/** Returns the preview settings of a site. For the owner only. */
export async function findPreviewPolicy(ports: PreviewPorts, caller: Caller, siteName: string): Promise<PreviewPolicy> {
  const site = await requireSite(ports.store, caller, siteName, "manage_previews");
  return ports.store.previews.policy(site.id);
}

/** Changes the preview settings of a site. Existing previews keep their expiry. For the owner only. */
export async function setPreviewPolicy(
  ports: PreviewPorts & { readonly policy: SitePolicy },
  caller: Caller,
  siteName: string,
  change: Partial<PreviewPolicy>,
): Promise<PreviewPolicy> {
  const site = await requireChangeableSite(ports.store, caller, siteName, "manage_previews");
  if (site.private && change.access === "public") requireMayMakePublic(ports.policy, requireSession(caller).user);
  const before = await ports.store.previews.policy(site.id);
  await ports.store.previews.setPolicy(site.id, change);
  return { ...before, ...change };
}

/** Throws `forbidden` if a custom domain shows the alias, or will once it is verified. */
export async function requireAliasWithoutDomain(
  { claims }: Pick<Store, "claims">,
  siteId: number,
  alias: string,
): Promise<void> {
  const shown = (await claims.listOfSite(siteId)).find((claim) => claim.alias === alias && isOpen(claim));
  if (shown === undefined) return;
  throw new DomainError(
    "forbidden",
    `credential cannot deploy this site: with the permission preview it cannot change the alias ${alias}, because the custom domain ${shown.hostname} shows it`,
  );
}

export function noSuchAlias(siteName: string, name: string): DomainError {
  return new DomainError("not_found", `${siteName} has no alias ${name}`);
}

export function tooManyAliases(siteName: string): DomainError {
  return hasMaximum(siteName, MAX_ALIASES, "aliases");
}

// --- internal ---

/** Returns the site and the label of an alias that the caller may set and remove. */
async function requireMovable({ store, secrets }: PreviewPorts, caller: Caller, { alias, siteName }: NamedAlias) {
  const labelOn = (name: string) => requireAliasLabel(alias, name, secrets.sha256, ["path", "alias"]);
  // An invalid alias is refused before a missing site. The request may have a former name of the site.
  labelOn(siteName);
  const site = await requireChangeableSite(store, caller, siteName, "move_aliases");
  const name = labelOn(site.name);
  if (!mayActivate(caller)) await requireAliasWithoutDomain(store, site.id, name);
  return { site, name };
}
