import { Type as t } from "@sinclair/typebox";
import { requireDuration } from "../../domain/duration.ts";
import { fieldError } from "../../domain/errors.ts";
import type { WorkingRole } from "../../domain/model/role.ts";
import type { Site } from "../../domain/model/site.ts";
import { MAX_SITE_LIFETIME_MS, MIN_SITE_LIFETIME_MS } from "../../domain/model/site-expiry.ts";
import type { SharedSite } from "../../domain/ports/store/readers.ts";
import type { SiteFigures } from "../../domain/sites/site-figures.ts";
import { MAX_TAG_LENGTH, MAX_TAGS } from "../../domain/sites/tags.ts";
import { timestamp } from "../../domain/timestamp.ts";
import type { Links } from "./links.ts";
import { text } from "./text.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

export const SiteResponse = namedSchema(
  "SiteResponse",
  {
    name: t.String(),
    created: Moment,
    last_deployed_at: Moment,
    private: t.Boolean(),
    role: oneOf(["owner", "maintainer", "deployer"], { description: "Yours on this site" }),
    size_bytes: orNull(t.Integer()),
    active_deployment: orNull(t.Integer(), { description: "Its number; null where nothing was published yet" }),
    total_views: t.Integer(),
    tags: t.Array(t.String()),
    expires_at: orNull(Moment, {
      description: "Null for a site that stays. Afterwards visitors get 410, and 7 days later the site is removed",
    }),
    frozen: t.Optional(
      t.Object(
        { since: Moment, reason: TextOrNull },
        {
          description: "Only on a frozen site: visitors get 403, and nothing can be deployed",
        },
      ),
    ),
  },
  {
    name: "brisk-otter-4821",
    created: "2026-11-01T09:30:00.000Z",
    last_deployed_at: "2026-11-20T16:05:12.418Z",
    private: false,
    role: "owner",
    size_bytes: 48213,
    active_deployment: 3,
    total_views: 1290,
    tags: ["client", "docs"],
    expires_at: null,
  },
);

export function siteResponse(site: Site & { readonly role: WorkingRole }): typeof SiteResponse.static {
  return {
    name: site.name,
    created: timestamp(site.createdAt),
    last_deployed_at: timestamp(site.lastDeployedAt),
    private: site.private,
    role: site.role,
    size_bytes: site.sizeBytes,
    active_deployment: site.activeDeployment,
    total_views: site.totalViews,
    tags: [...site.tags],
    expires_at: momentOrNull(site.expiresAt),
    ...(site.frozen ? { frozen: { since: timestamp(site.frozen.at), reason: site.frozen.reason } } : {}),
  };
}

const Tag = text({ minLength: 1, maxLength: MAX_TAG_LENGTH, description: "In lower case, without spaces at its ends" });

export const TagsRequest = t.Object(
  { tags: t.Array(Tag, { maxItems: MAX_TAGS, description: "Replaces all tags; a repeated one counts once" }) },
  { examples: [{ tags: ["client", "docs"] }] },
);

export const ExpiryRequest = t.Object(
  {
    expires_in: t.Optional(t.String({ description: "From 1h to 365d, such as 30d, from now on" })),
    expires_at: t.Optional(t.Null({ description: "The site stays" })),
  },
  {
    title: "ExpiryRequest",
    description: "One of both fields",
    examples: [{ expires_in: "30d" }, { expires_at: null }],
  },
);

/** Returns the lifetime in milliseconds; null for a site that stays. Throws `validation`. */
export function siteLifetime(request: typeof ExpiryRequest.static): number | null {
  const { expires_in: text } = request;
  if ((text === undefined) === (request.expires_at === undefined)) {
    throw fieldError(["body"], "Send either expires_in, or expires_at: null");
  }
  if (text === undefined) return null;
  const bounds = { min: MIN_SITE_LIFETIME_MS, max: MAX_SITE_LIFETIME_MS };
  return requireDuration(text, { loc: ["body", "expires_in"], ...bounds });
}

export const RenameRequest = namedSchema("RenameRequest", { name: t.String() }, { name: "calm-otter" });

export const SiteFiguresResponse = namedSchema(
  "SiteFiguresResponse",
  {
    name: t.String(),
    icon: orNull(t.String(), { description: "The path of the site's own icon on its host" }),
    daily_views: t.Array(t.Integer(), {
      description: "Of the last 30 days, in UTC, oldest first; the last one is not over",
    }),
    views_before: t.Integer({ description: "Of the 30 days before" }),
    deployments: t.Integer({ description: "Made in the last 30 days and still kept" }),
    last_deployment: orNull(
      t.Object({
        deployment_number: t.Integer(),
        source: oneOf(["session", "deployment_token"]),
        actor: t.String(),
      }),
    ),
    start_page_gone: t.Boolean({
      description: "Whether visitors of its URL get a 404 page, and got a page with an earlier deployment",
    }),
    domains: t.Array(
      t.Object({
        hostname: t.String(),
        connection_status: oneOf(["waiting_for_dns", "securing", "connected", "updating", "action_needed"]),
      }),
      { description: "Open claims, oldest first" },
    ),
  },
  {
    name: "brisk-otter-4821",
    icon: "/favicon.svg",
    daily_views: [...Array.from({ length: 29 }, () => 0), 12],
    views_before: 0,
    deployments: 1,
    last_deployment: { deployment_number: 1, source: "session", actor: "grace" },
    start_page_gone: false,
    domains: [{ hostname: "www.example.org", connection_status: "connected" }],
  },
);

export function siteFiguresResponse(site: SiteFigures): typeof SiteFiguresResponse.static {
  const { lastDeployment } = site;
  return {
    name: site.siteName,
    icon: site.icon,
    daily_views: [...site.dailyViews],
    views_before: site.viewsBefore,
    deployments: site.recentDeployments,
    last_deployment: lastDeployment && {
      deployment_number: lastDeployment.number,
      source: lastDeployment.source,
      actor: lastDeployment.actor,
    },
    start_page_gone: site.startPageGone,
    domains: site.domains.map(({ hostname, status }) => ({ hostname, connection_status: status })),
  };
}

export const SharedSiteResponse = namedSchema(
  "SharedSiteResponse",
  {
    name: t.String(),
    url: t.String(),
    owner: t.String({ description: "The owner's login" }),
    frozen: t.Boolean({ description: "Whether the operator froze the site: nobody can open it" }),
  },
  { name: "handbook", url: "https://handbook.example.com", owner: "grace", frozen: false },
);

export function sharedSiteResponse(
  links: Links,
  { name, owner, frozen }: SharedSite,
): typeof SharedSiteResponse.static {
  return { name, url: links.site(name), owner, frozen };
}

/**
 * Returns the name of the site's path parameter in the specification: `site_name` below access and domains, `name`
 * elsewhere. The router needs one name per position.
 */
export function siteParameter(path: string): "name" | "site_name" {
  return /^\/sites\/[^/]+\/(?:access|domains)/.test(path) ? "site_name" : "name";
}
