import type { HostingCapability } from "../client/types.ts";

/** Returns where visitors find a site. */
export function urlOfSite({ site_url: pattern }: Pick<HostingCapability, "site_url">, name: string): string {
  return pattern.replace("{site}", name);
}
