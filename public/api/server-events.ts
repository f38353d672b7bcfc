import type { ServerEvent } from "./event-lines.ts";

/** Returns whether the data at `path` may have changed with an event. */
export function isAffected(path: string, { type, site }: ServerEvent): boolean {
  if (type === "reset") return true;
  if (path.startsWith("/admin/")) return type === "admin.changed" && !MEASURED.some((list) => path.startsWith(list));
  if (type === "admin.changed") return false;
  if (OF_ALL_SITES.some((list) => path === list || path.startsWith(`${list}?`))) return true;
  return site !== null && (path === `/sites/${site}` || path.startsWith(`/sites/${site}/`));
}

/** Returns one sentence for each site that somebody else changed, or one for all if there are many. */
export function describeChanges(events: readonly ServerEvent[]): readonly string[] {
  const bySite = new Map<string, string>();
  for (const event of [...events].sort((one, other) => weightOf(one) - weightOf(other))) {
    const sentence = sentenceOf(event);
    if (event.site !== null && sentence !== null && !bySite.has(event.site)) bySite.set(event.site, sentence);
  }
  return bySite.size <= MAX_SENTENCES ? [...bySite.values()] : [`${bySite.size} sites changed.`];
}

// --- internal ---

/** Measurements of the server, which take longer and are not changed by sites or users. */
const MEASURED = ["/admin/metrics", "/admin/doctor", "/admin/jobs", "/admin/nodes", "/admin/settings"];

/** Lists of all sites. */
const OF_ALL_SITES = ["/sites", "/shared-sites", "/site-figures", "/tokens", "/audit", "/auth/me"];

const MAX_SENTENCES = 3;

/** Of several changes at once, the first type in this list is announced. */
const MOST_IMPORTANT = ["site.removed", "sites.added", "domain.action_needed", "certificate.failing"];

function weightOf({ type }: ServerEvent): number {
  const rank = MOST_IMPORTANT.indexOf(type);
  if (rank !== -1) return rank;
  return type.endsWith(".changed") ? MOST_IMPORTANT.length + 1 : MOST_IMPORTANT.length;
}

function sentenceOf(event: ServerEvent): string | null {
  const { site, deployment_number: number, alias, hostname } = event;
  const deployment = number === undefined ? `A deployment of ${site}` : `Deployment ${number} of ${site}`;
  const name = hostname ?? `A domain of ${site}`;
  switch (event.type) {
    case "deployment.published":
      return `${deployment} is live.`;
    case "deployment.activated":
      return `${deployment} is live again.`;
    case "deployment.deleted":
      return `Deployments of ${site} were deleted.`;
    case "preview.created":
      return `${site} has a new preview, deployment ${number}.`;
    case "preview.expired":
      return alias ? `The alias ${alias} of ${site} expired.` : `A preview of ${site} expired.`;
    case "alias.moved":
      return `The alias ${alias} of ${site} shows deployment ${number}.`;
    case "domain.verified":
      return `${name} is verified.`;
    case "domain.connected":
      return `${name} is connected.`;
    case "domain.action_needed":
      return `${name} needs your attention.`;
    case "domain.removed":
      return `${name} was removed.`;
    case "certificate.issued":
    case "certificate.renewed":
      return `${name} has a new certificate.`;
    case "certificate.failing":
      return `The certificate of ${name} could not be renewed.`;
    case "sites.added":
      return `${site} is a new site.`;
    case "site.removed":
      return `${site} was deleted, or you are no member of it any more.`;
    case "access.changed":
      return `The access to ${site} changed.`;
    case "site.changed":
      return changedSentence(site, hostname, alias);
    default:
      return null;
  }
}

function changedSentence(site: string | null, hostname: string | undefined, alias: string | undefined): string {
  if (hostname !== undefined) return `${hostname} of ${site} changed.`;
  return alias === undefined ? `The settings of ${site} changed.` : `The alias ${alias} of ${site} was removed.`;
}
