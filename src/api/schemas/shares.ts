import { type Static, Type as t } from "@sinclair/typebox";
import { requireDuration } from "../../domain/duration.ts";
import {
  DEFAULT_SHARE_LIFETIME_MS,
  LIVE_TARGET,
  MAX_SHARE_LIFETIME_MS,
  MIN_SHARE_LIFETIME_MS,
  SHARE_KINDS,
  type Share,
} from "../../domain/model/share.ts";
import type { CreatedShare, ShareRequest } from "../../domain/shares/manage.ts";
import { timestamp } from "../../domain/timestamp.ts";
import type { Links } from "./links.ts";
import { text } from "./text.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

const Target = t.Object(
  {
    alias: t.Optional(orNull(t.String())),
    deployment_number: t.Optional(orNull(t.Integer({ minimum: 1 }))),
  },
  { description: "The hosts that it reaches: those of an alias, of one deployment, or with neither of the live site" },
);

export const CreateShareRequest = t.Object(
  {
    label: text({ minLength: 1, maxLength: 100, description: "For whom it is; shown to the owner alone" }),
    kind: oneOf(SHARE_KINDS, {
      description: "`link` opens in a browser, `password` asks for one, `automation` is a bearer token for scripts",
    }),
    target: t.Optional(Target),
    expires_in: t.Optional(
      orNull(t.String(), { description: "A number and `s`, `m`, `h` or `d`, from 1s to 365d; without it 30d" }),
    ),
    password: t.Optional(orNull(t.String(), { description: "Of 8 to 128 characters; for the kind `password`" })),
  },
  { examples: [{ label: "The client", kind: "link", target: { alias: "pr-12" }, expires_in: "14d" }] },
);

/** Returns the values of a request. Throws `validation` for an invalid duration. */
export function shareRequest(body: Static<typeof CreateShareRequest>): ShareRequest {
  const { label, kind, target = {}, expires_in: expiresIn, password = null } = body;
  const bounds = { loc: ["body", "expires_in"], min: MIN_SHARE_LIFETIME_MS, max: MAX_SHARE_LIFETIME_MS };
  return {
    label,
    kind,
    target: { alias: target.alias ?? null, deploymentNumber: target.deployment_number ?? null },
    lifetime: typeof expiresIn === "string" ? requireDuration(expiresIn, bounds) : DEFAULT_SHARE_LIFETIME_MS,
    password,
  };
}

export const CreatedShareResponse = namedSchema(
  "CreatedShareResponse",
  {
    id: t.String(),
    url: t.Optional(t.String({ description: "Of a link, which holds the secret, and of a password's form" })),
    secret: t.Optional(t.String({ description: "Of an automation share: the bearer token; returned only here" })),
    expires_at: Moment,
  },
  {
    id: "7f0c1d2e3a4b5c6d7e8f",
    url: "https://brisk-otter-4821.pages.example.org/.vitrine/enter?share=vtv_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
    expires_at: "2026-12-01T09:30:00.000Z",
  },
);

export function createdShareResponse(
  links: Links,
  { siteName, share, secret }: CreatedShare,
): Static<typeof CreatedShareResponse> {
  const { id, kind, target } = share;
  const origin = links.site(target === LIVE_TARGET ? siteName : `${target}--${siteName}`);
  const query = kind === "link" ? `share=${secret}` : `id=${id}`;
  return {
    id,
    ...(kind === "automation" ? { secret: secret ?? "" } : { url: `${origin}/.vitrine/enter?${query}` }),
    expires_at: timestamp(share.expiresAt),
  };
}

export const ShareResponse = namedSchema(
  "ShareResponse",
  {
    id: t.String(),
    label: t.String(),
    kind: oneOf(SHARE_KINDS),
    target: t.Object({ alias: TextOrNull, deployment_number: orNull(t.Integer()) }),
    created_at: Moment,
    expires_at: Moment,
    uses: t.Integer({ description: "How often it let somebody in; of an automation share, minutes in which it did" }),
    last_used_at: orNull(Moment),
  },
  {
    id: "7f0c1d2e3a4b5c6d7e8f",
    label: "The client",
    kind: "link",
    target: { alias: "pr-12", deployment_number: null },
    created_at: "2026-11-01T09:30:00.000Z",
    expires_at: "2026-12-01T09:30:00.000Z",
    uses: 3,
    last_used_at: "2026-11-20T16:05:12.418Z",
  },
);

export function shareResponse(share: Share): Static<typeof ShareResponse> {
  const { id, label, kind, target, uses } = share;
  const isNumber = /^\d+$/.test(target);
  return {
    ...{ id, label, kind, uses },
    target: {
      alias: isNumber || target === LIVE_TARGET ? null : target,
      deployment_number: isNumber ? Number(target) : null,
    },
    created_at: timestamp(share.createdAt),
    expires_at: timestamp(share.expiresAt),
    last_used_at: momentOrNull(share.lastUsedAt),
  };
}
