import { Type as t } from "@sinclair/typebox";
import type { Freeze } from "../../domain/model/freeze.ts";
import { MEMBER_ROLES } from "../../domain/model/role.ts";
import { ENDED_BY_TRANSFER } from "../../domain/model/transfer.ts";
import type { CreatedLink, Invitation } from "../../domain/operators/account-links.ts";
import type { Person } from "../../domain/operators/people.ts";
import type { SiteListing } from "../../domain/ports/store/sites.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { accountUrl, type Links } from "./links.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

const Frozen = orNull(t.Object({ since: Moment, reason: TextOrNull }));

/** The freeze in a change; null lifts it. */
const FreezeRequest = orNull(t.Object({ reason: t.Optional(TextOrNull) }));

const NextCursor = orNull(t.String(), { description: "For `cursor` of the next page; null on the last one" });

const USER_EXAMPLE = {
  login: "ada",
  name: "Ada Lovelace",
  provider: "local" as const,
  operator: true,
  frozen: null,
  created_at: "2026-11-01T09:30:00.000Z",
  last_seen_at: "2026-11-20T16:05:12.418Z",
  sites: 3,
  bytes: 48213,
  max_sites: null,
  max_bytes: 1_000_000_000,
};

export const AdminUserResponse = namedSchema(
  "AdminUserResponse",
  {
    login: t.String(),
    name: TextOrNull,
    provider: oneOf(["local", "github", "oidc"]),
    operator: t.Boolean(),
    frozen: Frozen,
    created_at: Moment,
    last_seen_at: orNull(Moment),
    sites: t.Integer(),
    bytes: t.Integer({ description: "Of all deployments that are kept" }),
    max_sites: orNull(t.Integer(), { description: "Null for no limit" }),
    max_bytes: orNull(t.Integer(), { description: "Null for no limit" }),
  },
  USER_EXAMPLE,
);

export function adminUserResponse(person: Person): typeof AdminUserResponse.static {
  return {
    login: person.login,
    name: person.name,
    provider: person.provider,
    operator: person.operator,
    frozen: frozenResponse(person.frozen),
    created_at: timestamp(person.createdAt),
    last_seen_at: momentOrNull(person.lastSeenAt),
    sites: person.usage.sites,
    bytes: person.usage.bytes,
    max_sites: person.quota.sites,
    max_bytes: person.quota.bytes,
  };
}

export const AdminUsersResponse = namedSchema(
  "AdminUsersResponse",
  { users: t.Array(AdminUserResponse), next_cursor: NextCursor },
  { users: [USER_EXAMPLE], next_cursor: null },
);

const Limit = (what: string) =>
  t.Optional(
    t.Union([t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), t.Null(), t.Literal("default")], {
      description: `${what}; null for no limit, \`default\` for the server's setting`,
    }),
  );

export const ChangeUserRequest = namedSchema(
  "ChangeUserRequest",
  {
    name: t.Optional(TextOrNull),
    frozen: t.Optional(FreezeRequest),
    max_sites: Limit("Maximum number of sites"),
    max_bytes: Limit("Maximum size of all deployments that are kept"),
    operator: t.Optional(t.Boolean({ description: "Needs a sign-in of the last 15 minutes" })),
  },
  { frozen: { reason: "invoice 4711" }, max_sites: 20 },
);

const InvitedSite = t.Object({ name: t.String(), role: oneOf(MEMBER_ROLES) });

export const InviteRequest = namedSchema(
  "InviteRequest",
  {
    login: t.String(),
    name: t.Optional(TextOrNull),
    site: t.Optional(
      orNull(InvitedSite, { description: "The site of which they become a member, when they create the account" }),
    ),
  },
  { login: "grace", name: "Grace Hopper", site: { name: "brisk-otter-4821", role: "deployer" } },
);

export function invitationOf({ login, name, site }: typeof InviteRequest.static): Invitation {
  return { login, name: name ?? null, member: site ? { siteName: site.name, role: site.role } : null };
}

export const PasswordLinkResponse = namedSchema(
  "PasswordLinkResponse",
  {
    url: t.String({ description: "Good once. It is returned only here" }),
    expires_at: Moment,
  },
  { url: "https://vitrine.example/account/Qm9XpZ0a3kLr7TzVh1cYwEoN2sU", expires_at: "2026-11-21T16:05:12.418Z" },
);

export function passwordLinkResponse(
  links: Links,
  { token, expiresAt }: CreatedLink,
): typeof PasswordLinkResponse.static {
  return { url: accountUrl(links.base, token), expires_at: timestamp(expiresAt) };
}

export const InvitationResponse = namedSchema(
  "InvitationResponse",
  { login: t.String(), site: orNull(InvitedSite), ...PasswordLinkResponse.properties },
  {
    login: "grace",
    site: { name: "brisk-otter-4821", role: "deployer" },
    url: "https://vitrine.example/account/Qm9XpZ0a3kLr7TzVh1cYwEoN2sU",
    expires_at: "2026-11-27T16:05:12.418Z",
  },
);

const SITE_EXAMPLE = {
  name: "brisk-otter-4821",
  url: "https://brisk-otter-4821.vitrine.example",
  owner: "ada",
  private: false,
  frozen: null,
  deployments: 12,
  bytes: 578556,
  views_30d: 1290,
  traffic_30d: 62194770,
  domains: 1,
  last_deployed_at: "2026-11-20T16:05:12.418Z",
  created: "2026-11-01T09:30:00.000Z",
};

export const AdminSiteResponse = namedSchema(
  "AdminSiteResponse",
  {
    name: t.String(),
    url: t.String(),
    owner: t.String({ description: "The owner's login" }),
    private: t.Boolean(),
    frozen: Frozen,
    deployments: t.Integer(),
    bytes: t.Integer({ description: "Of all deployments that are kept" }),
    views_30d: t.Integer(),
    traffic_30d: t.Integer({ description: "Bytes" }),
    domains: t.Integer({ description: "Custom domains that are claimed" }),
    last_deployed_at: Moment,
    created: Moment,
  },
  SITE_EXAMPLE,
);

export function adminSiteResponse(links: Links, site: SiteListing): typeof AdminSiteResponse.static {
  return {
    name: site.name,
    url: links.site(site.name),
    owner: site.owner,
    private: site.private,
    frozen: frozenResponse(site.frozen),
    deployments: site.deployments,
    bytes: site.keptBytes,
    views_30d: site.recentViews,
    traffic_30d: site.recentTraffic,
    domains: site.domains,
    last_deployed_at: timestamp(site.lastDeployedAt),
    created: timestamp(site.createdAt),
  };
}

export const AdminSitesResponse = namedSchema(
  "AdminSitesResponse",
  { sites: t.Array(AdminSiteResponse), next_cursor: NextCursor },
  { sites: [SITE_EXAMPLE], next_cursor: null },
);

export const ChangeSiteRequest = namedSchema(
  "ChangeSiteRequest",
  { frozen: FreezeRequest },
  { frozen: { reason: "phishing" } },
);

export const TransferRequest = namedSchema(
  "TransferRequest",
  {
    login: t.String({ description: "The new owner's" }),
    keep: t.Optional(
      t.Array(oneOf(ENDED_BY_TRANSFER), {
        maxItems: ENDED_BY_TRANSFER.length,
        uniqueItems: true,
        description: "What the former owner set up and the site keeps; everything else of it ends",
      }),
    ),
  },
  { login: "grace", keep: ["publishers"] },
);

export const TransferResponse = namedSchema(
  "TransferResponse",
  {
    ...AdminSiteResponse.properties,
    ended: t.Object(
      { tokens: t.Integer(), shares: t.Integer(), webhooks: t.Integer(), publishers: t.Integer() },
      { description: "How many of each were ended" },
    ),
  },
  { ...SITE_EXAMPLE, owner: "grace", ended: { tokens: 2, shares: 1, webhooks: 0, publishers: 0 } },
);

export const TotalsResponse = namedSchema(
  "TotalsResponse",
  {
    users: t.Object({
      all: t.Integer(),
      operators: t.Integer(),
      frozen: t.Integer(),
      invited: t.Integer({ description: "Invitations that were not accepted yet and have not expired" }),
    }),
    sites: t.Object({ all: t.Integer(), private: t.Integer(), frozen: t.Integer() }),
  },
  { users: { all: 46, operators: 2, frozen: 1, invited: 2 }, sites: { all: 214, private: 12, frozen: 3 } },
);

export const SettingResponse = namedSchema(
  "SettingResponse",
  {
    name: t.String({ description: "The flag, without its dashes" }),
    value: orNull(t.String(), { description: "As it was given; of a secret only `set`, or null" }),
    default: t.String(),
    source: oneOf(["flag", "variable", "file", "default"]),
    secret: t.Boolean(),
  },
  { name: "signup", value: "open", default: "closed", source: "variable", secret: false },
);

// --- internal ---

function frozenResponse(freeze: Freeze | null) {
  return freeze && { since: timestamp(freeze.at), reason: freeze.reason };
}
