import { Type as t } from "@sinclair/typebox";
import { requireDuration } from "../../domain/duration.ts";
import { TOKEN_PERMISSIONS } from "../../domain/model/permission.ts";
import type { DeploymentToken } from "../../domain/ports/store/tokens.ts";
import { timestamp } from "../../domain/timestamp.ts";
import {
  type CreatedToken,
  DEFAULT_TOKEN_NAME,
  MAX_TOKEN_LIFETIME_MS,
  MAX_TOKEN_NAME_LENGTH,
  MIN_TOKEN_LIFETIME_MS,
} from "../../domain/tokens/deployment-tokens.ts";
import { text } from "./text.ts";
import { namedSchema, oneOf, orNull } from "./values.ts";

const NEVER_EXPIRES = "Empty for a token that never expires";
const permission = oneOf(TOKEN_PERMISSIONS);
const wantedPermission = oneOf(TOKEN_PERMISSIONS, {
  description: "`preview` makes previews and moves aliases, and cannot activate",
});

export const CreateTokenRequest = t.Object(
  {
    name: t.Optional(text({ minLength: 1, maxLength: MAX_TOKEN_NAME_LENGTH, default: DEFAULT_TOKEN_NAME })),
    site_name: t.String(),
    permission: t.Optional(wantedPermission),
    expires_in: t.Optional(
      orNull(t.String(), {
        description: "A number and `s`, `m`, `h` or `d`, from 1s to 3650d; without it the token never expires",
      }),
    ),
  },
  {
    examples: [{ name: "CI of the blog", site_name: "brisk-otter-4821", permission: "preview", expires_in: "90d" }],
  },
);

/** Returns the milliseconds of `expires_in`, or null if it is absent. Throws `validation`. */
export function tokenLifetime(expiresIn: string | null | undefined): number | null {
  if (typeof expiresIn !== "string") return null;
  const bounds = { min: MIN_TOKEN_LIFETIME_MS, max: MAX_TOKEN_LIFETIME_MS };
  return requireDuration(expiresIn, { loc: ["body", "expires_in"], ...bounds });
}

export const CreatedDeploymentTokenResponse = namedSchema(
  "CreatedDeploymentTokenResponse",
  {
    id: t.String(),
    name: t.String(),
    site_name: t.String(),
    permission,
    expires_at: t.String({ description: NEVER_EXPIRES }),
    token: t.String({ description: "The secret; returned only here" }),
  },
  {
    id: "5f0c1d2e3a4b5c6d7e8f",
    name: "CI of the blog",
    site_name: "brisk-otter-4821",
    permission: "publish",
    expires_at: "",
    token: "vtd_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
  },
);

export function createdTokenResponse(created: CreatedToken): typeof CreatedDeploymentTokenResponse.static {
  const { id, name, siteName, permission, expiresAt, token } = created;
  return { id, name, site_name: siteName, permission, expires_at: expiryTime(expiresAt), token };
}

export const DeploymentTokenResponse = namedSchema(
  "DeploymentTokenResponse",
  {
    id: t.String(),
    name: t.String(),
    site_name: t.String(),
    permission,
    created_at: t.String(),
    expires_at: t.String({ description: NEVER_EXPIRES }),
    last_used_at: t.String({ description: "Empty for a token that was never used" }),
  },
  {
    id: "5f0c1d2e3a4b5c6d7e8f",
    name: "CI of the blog",
    site_name: "brisk-otter-4821",
    permission: "publish",
    created_at: "2026-11-01T09:30:00.000Z",
    expires_at: "",
    last_used_at: "2026-11-20T16:05:12.418Z",
  },
);

export function deploymentTokenResponse(token: DeploymentToken): typeof DeploymentTokenResponse.static {
  return {
    id: token.id,
    name: token.name,
    site_name: token.siteName,
    permission: token.permission,
    created_at: timestamp(token.createdAt),
    expires_at: expiryTime(token.expiresAt),
    last_used_at: token.lastUsedAt === null ? "" : timestamp(token.lastUsedAt),
  };
}

// --- internal ---

function expiryTime(expiresAt: number | null): string {
  return expiresAt === null ? "" : timestamp(expiresAt);
}
