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
  /** Whether it may be allowed to create sites, and whether that is preselected; null if it may not. */
  readonly newSites: "offered" | "preselected" | null;
}

/** The user's choice; `extent` and `expires` are null where the form has no such field. */
export interface ConsentChoice {
  readonly extent: string | null;
  readonly siteNames: readonly string[];
  readonly expires: string | null;
  readonly newSites?: boolean;
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
  const extents = extentsOf(permission, siteNames.length > 0, sites.length > 0);
  return { extents, sites, preselected, missing, newSites: null };
}

/**
 * Returns the options for an agent, which never gets full access. Somebody without a site could give it nothing, and is
 * offered to let it create sites even if it does not ask.
 */
export function agentChoices(requested: RequestedScope, ownSites: readonly OwnSite[]): ConsentChoices {
  const extents: readonly Extent[] = requested.permission === "publish" ? ["publish", "preview"] : ["preview"];
  const offered = ownSites.length === 0 && requested.siteNames.length === 0 ? "offered" : null;
  const newSites = requested.newSites === true ? "preselected" : offered;
  return { ...consentChoices({ ...requested, permission: "preview" }, ownSites), extents, newSites };
}

/**
 * Returns the access that a user's choice grants. Throws `invalid` if no site was chosen or an option was not offered.
 */
export function decideGrant({ extents, sites, newSites }: ConsentChoices, choice: ConsentChoice): DeviceGrant {
  const extent = extents.find((offered) => offered === (choice.extent ?? extents[0]));
  if (extent === undefined) throw new DomainError("invalid", "choose what it may do");
  const lifetime = lifetimeOf(choice.expires ?? "");
  if (extent === "full") return { limit: null, lifetime };
  const names = [...new Set(choice.siteNames)];
  const mayCreate = newSites !== null && choice.newSites === true;
  if (names.length === 0 && !mayCreate) throw new DomainError("invalid", "choose at least one site");
  if (names.length > MAX_SCOPE_SITES) throw new DomainError("invalid", `choose at most ${MAX_SCOPE_SITES} sites`);
  const chosen = names.map((name) => {
    const site = sites.find((offered) => offered.name === name);
    if (site) return { id: site.id, name };
    throw new DomainError("invalid", `${JSON.stringify(name.slice(0, 80))} is not one of the sites to choose from`);
  });
  return { limit: { permission: extent, sites: chosen, ...(mayCreate ? { newSites: true } : {}) }, lifetime };
}

function extentsOf(permission: TokenPermission, namesSites: boolean, hasSites: boolean): readonly Extent[] {
  if (permission === "preview") return ["preview"];
  if (namesSites) return ["publish", "preview"];
  return hasSites ? ["full", "publish", "preview"] : ["full"];
}

function lifetimeOf(expires: string): number | null {
  if (expires === "") return null;
  const known = GRANT_LIFETIMES.find((lifetime) => lifetime === expires);
  if (known === undefined) throw new DomainError("invalid", "choose until when it has access");
  return parseDuration(known);
}
