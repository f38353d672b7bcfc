import type { Site } from "../api/types.ts";

/**
 * Returns why nothing may be dropped on the page of `site`, or null. A drop on a page without a site
 * creates a new site. `sites` may not be loaded yet.
 */
export function dropRefusal(site: string | null, sites: readonly Site[] | undefined): string | null {
  if (site === null || sites === undefined) return null;
  const known = sites.find(({ name }) => name === site);
  if (!known) return `You have no site named ${site}.`;
  return known.frozen ? `${site} is frozen. Ask the operator of this server.` : null;
}
