import { isMember, type Role } from "../../../src/domain/model/role.ts";
import type { SharedSite, Site, SiteFigures } from "../../api/types.ts";
import { withoutScheme } from "../../format.ts";
import type { StatusShape, Tone } from "../../parts/status.tsx";

/** The data of a site in the list, on which the user works or which they may read. */
export interface SiteRow {
  readonly name: string;
  /** The URL of the site; undefined until it is known. */
  readonly url: string | undefined;
  /** Its hostnames, starting with those of connected domains. */
  readonly hosts: readonly string[];
  readonly status: SiteStatus;
  readonly tags: readonly string[];
  readonly private: boolean;
  readonly frozen: boolean;
  readonly hasDomain: boolean;
  /** The user's role on the site. */
  readonly role: Role;
  /** The login of the owner of a site that the user only reads; null for others. */
  readonly sharedBy: string | null;
  /** Views of the last 30 days, oldest first; null until they are loaded, and for shared sites. */
  readonly dailyViews: readonly number[] | null;
  readonly views: number | null;
  /** In bytes; null if nothing is published, and for shared sites. */
  readonly size: number | null;
  readonly deployedAt: string | null;
  /** Undefined until it is loaded. */
  readonly deployedBy: SiteFigures["last_deployment"] | undefined;
  /** The URL of the site's icon; null if it has none, or only its readers can open it. */
  readonly icon: string | null;
}

interface SiteStatus {
  readonly shape: StatusShape;
  readonly tone: Tone | undefined;
  readonly text: string;
}

export const STATUSES = {
  frozen: { shape: "snowflake", tone: "cold", text: "Frozen" },
  expired: { shape: "clock", tone: "warn", text: "Expired" },
  failing: { shape: "warning", tone: "warn", text: "Domain failing" },
  broken: { shape: "warning", tone: "warn", text: "No start page" },
  empty: { shape: "hollow", tone: undefined, text: "Not published" },
  private: { shape: "lock", tone: undefined, text: "Private" },
  live: { shape: "dot", tone: undefined, text: "Live" },
} as const satisfies Record<string, SiteStatus>;

interface Known {
  readonly sites: readonly Site[];
  readonly shared: readonly SharedSite[];
  readonly figures: readonly SiteFigures[] | undefined;
  /** In `siteUrl`, `{site}` stands for the name. */
  readonly siteUrl: string | undefined;
}

/** Returns the rows of all sites, in no order. */
export function rowsOf({ sites, shared, figures, siteUrl }: Known): SiteRow[] {
  const byName = new Map(figures?.map((figures) => [figures.name, figures]));
  const own = sites.map((site) => {
    const row = ownRow(
      site,
      byName.get(site.name),
      siteUrl?.replace("{site}", () => site.name),
    );
    return figures === undefined ? { ...row, deployedBy: undefined } : row;
  });
  return [...own, ...shared.map(sharedRow)];
}

function ownRow(site: Site, figures: SiteFigures | undefined, url: string | undefined): SiteRow {
  const domains = figures?.domains ?? [];
  const connected = domains.filter((domain) => domain.connection_status === "connected");
  const isFailing = domains.some((domain) => domain.connection_status === "action_needed");
  return {
    name: site.name,
    url,
    hosts: [...connected.map(({ hostname }) => hostname), ...hostOf(url)],
    status: statusOf(site, isFailing, figures?.start_page_gone === true),
    tags: site.tags,
    private: site.private,
    frozen: site.frozen !== undefined,
    hasDomain: domains.length > 0,
    role: site.role,
    sharedBy: null,
    dailyViews: figures?.daily_views ?? null,
    views: figures ? sum(figures.daily_views) : null,
    size: site.size_bytes,
    deployedAt: site.last_deployed_at,
    deployedBy: figures?.last_deployment ?? null,
    icon: figures?.icon && url && !site.private && !site.frozen ? url + figures.icon : null,
  };
}

function sharedRow({ name, url, owner, frozen }: SharedSite): SiteRow {
  return {
    name,
    url,
    hosts: hostOf(url),
    status: frozen ? STATUSES.frozen : STATUSES.private,
    tags: [],
    private: true,
    frozen,
    hasDomain: false,
    role: "reader",
    sharedBy: owner,
    dailyViews: null,
    views: null,
    size: null,
    deployedAt: null,
    deployedBy: null,
    icon: null,
  };
}

function statusOf(site: Site, isFailing: boolean, isBroken: boolean): SiteStatus {
  if (site.frozen) return STATUSES.frozen;
  if (site.expires_at !== null && Date.parse(site.expires_at) <= Date.now()) return STATUSES.expired;
  if (isFailing) return STATUSES.failing;
  if (isBroken) return STATUSES.broken;
  if (site.size_bytes === null) return STATUSES.empty;
  return site.private ? STATUSES.private : STATUSES.live;
}

function hostOf(url: string | undefined): string[] {
  return url === undefined ? [] : [withoutScheme(url)];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const KINDS = ["all", "private", "domain", "frozen", "shared", "attention"] as const;
export type Kind = (typeof KINDS)[number];

const NEEDING_ATTENTION: readonly SiteStatus[] = [STATUSES.expired, STATUSES.failing, STATUSES.broken];

export const IS_KIND: Readonly<Record<Kind, (row: SiteRow) => boolean>> = {
  all: () => true,
  private: (row) => row.private,
  domain: (row) => row.hasDomain,
  frozen: (row) => row.frozen,
  shared: (row) => row.role !== "owner",
  attention: (row) => isMember(row.role) && (row.frozen || NEEDING_ATTENTION.includes(row.status)),
};

/** Returns the number of rows of each kind. */
export function countsOf(rows: readonly SiteRow[]): Record<Kind, number> {
  const count = (kind: Kind) => rows.filter(IS_KIND[kind]).length;
  return Object.fromEntries(KINDS.map((kind) => [kind, count(kind)])) as Record<Kind, number>;
}

/** Returns the tags with their number of rows, the most frequent first. */
export function tagsOf(rows: readonly SiteRow[]): [tag: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { tags } of rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([tag, count], [other, others]) => others - count || (tag < other ? -1 : 1));
}

const names = new Intl.Collator("en", { numeric: true });

/** Orders names as people count: `client-2` before `client-10`. */
export function byName(one: Pick<SiteRow, "name">, other: Pick<SiteRow, "name">): number {
  return names.compare(one.name, other.name);
}

/** Returns the change from `before` as `+8.4 %`; null without earlier data. */
export function changeOf(now: number, before: number): string | null {
  if (before === 0) return null;
  const percent = (100 * (now - before)) / before;
  const rounded = Math.abs(percent) < 100 ? percent.toFixed(1) : percent.toFixed(0);
  return `${percent > 0 ? "+" : ""}${rounded.replace("-", "−")} %`;
}
