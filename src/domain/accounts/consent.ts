import { parseDuration } from "../duration.ts";
import { DomainError } from "../errors.ts";
import type { DeviceGrant } from "../model/device.ts";
import type { TokenPermission } from "../model/permission.ts";
import { FULL_ACCESS, MAX_SCOPE_SITES, type RequestedScope } from "../model/scope.ts";
import type { Site } from "../model/site.ts";

/** The extents of access that a user may grant, from the widest to the narrowest. */
export type Extent = "full" | "publish" | "preview";

type OwnSite = Pick<Site, "id" | "name">;

/** The options of a user who approves a device. No option exceeds the request of the device. */
export interface ConsentChoices {
  readonly extents: readonly Extent[];
  /** The user's sites that may be granted. */
  readonly sites: readonly OwnSite[];
  /** Names of the preselected sites: those that the device requests by name, or the only site of the user. */
  readonly preselected: readonly string[];
  /** Names that the device requests but that belong to no site of the user. */
  readonly missing: readonly string[];
}

/** The user's choice; `extent` and `expires` are null where the form has no such field. */
export interface ConsentChoice {
  readonly extent: string | null;
  readonly siteNames: readonly string[];
  readonly expires: string | null;
}

/** Lifetimes that a user can choose instead of the limits of an ordinary session. */
export const GRANT_LIFETIMES = ["1h", "1d", "7d", "30d"] as const;

/** Returns the options for a device that requests `requested`. A device without a scope requests full access. */
export function consentChoices(requested: RequestedScope | null, ownSites: readonly OwnSite[]): ConsentChoices {
  const { permission, siteNames } = requested ?? FULL_ACCESS;
  const isOffered = ({ name }: OwnSite) => siteNames.length === 0 || siteNames.includes(name);
  const sites = ownSites.filter(isOffered);
  const missing = siteNames.filter((name) => !sites.some((site) => site.name === name));
  const names = sites.map(({ name }) => name);
  const preselected = siteNames.length > 0 || names.length === 1 ? names : [];
  return { extents: extentsOf(permission, siteNames.length > 0, sites.length > 0), sites, preselected, missing };
}

/**
 * Returns the access that a user's choice grants. Throws `invalid` if no site was chosen or an option was not offered.
 */
export function decideGrant({ extents, sites }: ConsentChoices, choice: ConsentChoice): DeviceGrant {
  const extent = extents.find((offered) => offered === (choice.extent ?? extents[0]));
  if (extent === undefined) throw new DomainError("invalid", "choose what the device may do");
  const lifetime = lifetimeOf(choice.expires ?? "");
  if (extent === "full") return { limit: null, lifetime };
  const names = [...new Set(choice.siteNames)];
  if (names.length === 0) throw new DomainError("invalid", "choose at least one site");
  if (names.length > MAX_SCOPE_SITES) throw new DomainError("invalid", `choose at most ${MAX_SCOPE_SITES} sites`);
  const chosen = names.map((name) => {
    const site = sites.find((offered) => offered.name === name);
    if (site) return { id: site.id, name };
    throw new DomainError("invalid", `${JSON.stringify(name.slice(0, 80))} is not one of the sites to choose from`);
  });
  return { limit: { permission: extent, sites: chosen }, lifetime };
}

function extentsOf(permission: TokenPermission, namesSites: boolean, hasSites: boolean): readonly Extent[] {
  if (permission === "preview") return ["preview"];
  if (namesSites) return ["publish", "preview"];
  return hasSites ? ["full", "publish", "preview"] : ["full"];
}

function lifetimeOf(expires: string): number | null {
  if (expires === "") return null;
  const known = GRANT_LIFETIMES.find((lifetime) => lifetime === expires);
  if (known === undefined) throw new DomainError("invalid", "choose until when the device has access");
  return parseDuration(known);
}
