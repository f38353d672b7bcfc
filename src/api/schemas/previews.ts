import { Type as t } from "@sinclair/typebox";
import { formatDuration, requireDuration } from "../../domain/duration.ts";
import {
  type Alias,
  MAX_PREVIEW_LIFETIME,
  MIN_ALIAS_LIFETIME,
  MIN_PREVIEW_LIFETIME,
  PREVIEW_ACCESS,
  type PreviewPolicy,
} from "../../domain/model/preview.ts";
import type { OfSite } from "../../domain/model/site.ts";
import { timestamp } from "../../domain/timestamp.ts";
import type { Links } from "./links.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull } from "./values.ts";

export const AliasRequest = t.Object(
  {
    deployment_number: t.Integer({ minimum: 1 }),
    expires_in: t.Optional(orNull(t.String(), { description: "From 1s to 365d; an alias without it stays" })),
  },
  { examples: [{ deployment_number: 1, expires_in: "14d" }] },
);

export const AliasResponse = namedSchema(
  "AliasResponse",
  {
    name: t.String({ description: "The alias as a DNS label" }),
    url: t.String(),
    deployment_number: t.Integer(),
    created_at: Moment,
    updated_at: Moment,
    expires_at: orNull(Moment, { description: "Null for an alias that stays" }),
  },
  {
    name: "pr-12",
    url: "https://pr-12--brisk-otter-4821.example.com",
    deployment_number: 3,
    created_at: "2026-11-20T16:05:12.418Z",
    updated_at: "2026-11-21T08:12:40.023Z",
    expires_at: "2026-12-20T16:05:12.418Z",
  },
);

const ACCESS = "`site`: as private as the site; `private`: for its owner and readers; `public`: for everybody";

export const PreviewPolicyRequest = t.Object(
  {
    access: t.Optional(oneOf(PREVIEW_ACCESS, { description: ACCESS })),
    expires_in: t.Optional(t.String({ description: "From 1h to 365d" })),
  },
  {
    minProperties: 1,
    description: "Absent fields stay unchanged",
    examples: [{ access: "private", expires_in: "14d" }],
  },
);

export const PreviewPolicyResponse = namedSchema(
  "PreviewPolicyResponse",
  {
    access: oneOf(PREVIEW_ACCESS, { description: ACCESS }),
    expires_in: t.String({ description: "When new previews and their aliases expire" }),
  },
  { access: "private", expires_in: "14d" },
);

export function aliasResponse(links: Links, alias: OfSite<Alias>): typeof AliasResponse.static {
  return {
    name: alias.name,
    url: links.alias(alias.siteName, alias.name),
    deployment_number: alias.deploymentNumber,
    created_at: timestamp(alias.createdAt),
    updated_at: timestamp(alias.updatedAt),
    expires_at: momentOrNull(alias.expiresAt),
  };
}

export function previewPolicyResponse({ access, lifetime }: PreviewPolicy): typeof PreviewPolicyResponse.static {
  return { access, expires_in: formatDuration(lifetime) };
}

/** Returns the milliseconds after which an alias expires; null if it never does. Throws like `previewLifetime`. */
export function aliasLifetime(text: string | null | undefined): number | null {
  if (typeof text !== "string") return null;
  return requireDuration(text, { loc: ["body", "expires_in"], min: MIN_ALIAS_LIFETIME, max: MAX_PREVIEW_LIFETIME });
}

/** Returns the milliseconds of `expires_in`. Throws `validation` for an invalid duration or one out of range. */
export function previewLifetime(text: string): number {
  return requireDuration(text, { loc: ["body", "expires_in"], min: MIN_PREVIEW_LIFETIME, max: MAX_PREVIEW_LIFETIME });
}
