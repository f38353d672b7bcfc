import { type Access, mayMakePublic } from "../../src/domain/model/site-policy.ts";
import { useResource } from "../api/resource.ts";
import type { HostingCapability, User } from "../api/types.ts";

/** What the operator decided about the access to sites, for the user of this page. */
export interface AccessPolicy {
  /** The access of a new site that does not choose one. */
  readonly defaultAccess: Access;
  readonly mayMakePublic: boolean;
}

/** Why somebody may not choose public access. */
export const PUBLIC_SITES_OFF = "Public sites are off on this server.";

/** Returns the policy; undefined until it is loaded. A hook. */
export function useAccessPolicy(): AccessPolicy | undefined {
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true }).data;
  const me = useResource<User>("/auth/me").data;
  if (hosting === undefined || me === undefined) return undefined;
  const { default_access: defaultAccess, public_sites: publicSites } = hosting;
  return { defaultAccess, mayMakePublic: mayMakePublic({ defaultAccess, publicSites }, me) };
}
