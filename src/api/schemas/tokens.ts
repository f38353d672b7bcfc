import { t } from "elysia";
import type { DeploymentToken } from "../../domain/ports/store/tokens.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { type CreatedToken, DEFAULT_TOKEN_NAME, MAX_TOKEN_NAME_LENGTH } from "../../domain/tokens/deployment-tokens.ts";
import { text } from "./text.ts";

export const CreateTokenRequest = t.Object(
  {
    name: t.Optional(text({ minLength: 1, maxLength: MAX_TOKEN_NAME_LENGTH, default: DEFAULT_TOKEN_NAME })),
    site_name: t.String(),
  },
  { examples: [{ name: "CI of the blog", site_name: "brisk-otter-4821" }] },
);

export const CreatedDeploymentTokenResponse = t.Object(
  {
    id: t.String(),
    name: t.String(),
    site_name: t.String(),
    token: t.String({ description: "The secret; returned only here" }),
  },
  {
    title: "CreatedDeploymentTokenResponse",
    examples: [
      {
        id: "5f0c1d2e3a4b5c6d7e8f",
        name: "CI of the blog",
        site_name: "brisk-otter-4821",
        token: "vtd_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
      },
    ],
  },
);

export function createdTokenResponse(created: CreatedToken): typeof CreatedDeploymentTokenResponse.static {
  return { id: created.id, name: created.name, site_name: created.siteName, token: created.token };
}

export const DeploymentTokenResponse = t.Object(
  {
    id: t.String(),
    name: t.String(),
    site_name: t.String(),
    created_at: t.String(),
    expires_at: t.String({ description: "Empty for a token that never expires" }),
    last_used_at: t.String({ description: "Empty for a token that was never used" }),
  },
  {
    title: "DeploymentTokenResponse",
    examples: [
      {
        id: "5f0c1d2e3a4b5c6d7e8f",
        name: "CI of the blog",
        site_name: "brisk-otter-4821",
        created_at: "2026-11-01T09:30:00.000Z",
        expires_at: "",
        last_used_at: "2026-11-20T16:05:12.418Z",
      },
    ],
  },
);

export function deploymentTokenResponse(token: DeploymentToken): typeof DeploymentTokenResponse.static {
  return {
    id: token.id,
    name: token.name,
    site_name: token.siteName,
    created_at: timestamp(token.createdAt),
    expires_at: token.expiresAt === null ? "" : timestamp(token.expiresAt),
    last_used_at: token.lastUsedAt === null ? "" : timestamp(token.lastUsedAt),
  };
}
