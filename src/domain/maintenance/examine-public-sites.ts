import { type Finding, warning } from "../model/finding.ts";
import type { SitePolicy } from "../model/site-policy.ts";
import type { SiteStore } from "../ports/store/sites.ts";

/** Sites that are named in the finding. */
const NAMED = 20;

/** Returns what does not fit a server on which sites are private: public ones from before, and a default that is refused. */
export async function examinePublicSites(
  { defaultAccess, publicSites }: SitePolicy,
  sites: Pick<SiteStore, "page">,
  now: number,
): Promise<Finding[]> {
  if (publicSites === "on") return [];
  const found = await sites.page({ text: null, only: "public", after: null, limit: NAMED + 1 }, now);
  const names = found.slice(0, NAMED).map(({ name }) => name);
  const more = found.length > NAMED ? " and others" : "";
  const isRefused = publicSites === "off" && defaultAccess === "public";
  return [
    ...(isRefused
      ? [
          warning(
            "default access",
            "public sites are off, and new sites are public by default: a deployment of a new site is refused unless it chooses private",
            'set default-access = "private"',
          ),
        ]
      : []),
    ...(names.length > 0
      ? [
          warning(
            "public sites",
            `these sites are public from before: ${names.join(", ")}${more}`,
            "make them private, or let them stay",
          ),
        ]
      : []),
  ];
}
