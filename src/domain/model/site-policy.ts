import { DomainError } from "../errors.ts";

export const ACCESS = ["public", "private"] as const;

export type Access = (typeof ACCESS)[number];

export const PUBLIC_SITES = ["on", "off", "operators"] as const;

/** What the operator decided about the access to sites. */
export interface SitePolicy {
  /** The access of a new site whose deployment does not choose one. */
  readonly defaultAccess: Access;
  /** Who may make sites public: everybody, nobody, or operators. */
  readonly publicSites: (typeof PUBLIC_SITES)[number];
}

/** Returns whether a person may make a site, or previews of a private one, public. */
export function mayMakePublic({ publicSites }: SitePolicy, { operator }: { readonly operator: boolean }): boolean {
  return publicSites === "on" || (publicSites === "operators" && operator);
}

/** Throws `forbidden` for a person who may not make a site public. */
export function requireMayMakePublic(policy: SitePolicy, person: { readonly operator: boolean }): void {
  if (mayMakePublic(policy, person)) return;
  const who =
    policy.publicSites === "operators" ? "only its operators may make a site public" : "keep the site private";
  throw new DomainError("forbidden", `public sites are off on this server: ${who}`);
}

/** Returns the access of a new site. `wanted` is null for the server's default. Throws `forbidden` for a public one. */
export function accessOfNewSite(
  policy: SitePolicy,
  person: { readonly operator: boolean },
  wanted: Access | null,
): Access {
  const access = wanted ?? policy.defaultAccess;
  if (access === "public") requireMayMakePublic(policy, person);
  return access;
}
