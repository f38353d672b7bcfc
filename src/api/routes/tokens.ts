import { Type as t } from "@sinclair/typebox";
import { createToken, DEFAULT_TOKEN_NAME, listTokens, revokeToken } from "../../domain/tokens/deployment-tokens.ts";
import { reply, route } from "../route.ts";
import {
  CreatedDeploymentTokenResponse,
  CreateTokenRequest,
  createdTokenResponse,
  DeploymentTokenResponse,
  deploymentTokenResponse,
  tokenLifetime,
} from "../schemas/tokens.ts";

const tag = "Deployment tokens";

export const tokenRoutes = [
  route({
    endpoint: "POST /tokens",
    summary: "Create a deployment token",
    description:
      "It can deploy to one site and list its deployments; with the permission `publish` it can also activate them. Its value is returned only here.",
    tag,
    auth: "site",
    operation: "make_tokens",
    body: CreateTokenRequest,
    response: { 201: CreatedDeploymentTokenResponse },
    errors: { 429: "too many tokens created: try again later" },
    audit: ({ token }) => (token ? `Created the deployment token ${token}` : "Created a deployment token"),
    handler: async ({ caller, body, ports }) => {
      const { site_name: siteName, name = DEFAULT_TOKEN_NAME, permission = "publish" } = body;
      const wanted = { siteName, name, permission, lifetime: tokenLifetime(body.expires_in) };
      const created = await createToken(ports, caller, wanted);
      const audit = { name: created.siteName, token_id: created.id, token: created.name };
      return reply(createdTokenResponse(created), { audit });
    },
  }),

  route({
    endpoint: "GET /tokens",
    summary: "List your deployment tokens",
    tag,
    auth: "session",
    response: { 200: t.Array(DeploymentTokenResponse) },
    handler: async ({ caller, ports }) => (await listTokens(ports, caller)).map(deploymentTokenResponse),
  }),

  route({
    endpoint: "DELETE /tokens/:token_id",
    summary: "Revoke a deployment token",
    tag,
    auth: "session",
    errors: { 404: "the deployment token does not exist" },
    audit: "Revoked a deployment token",
    handler: async ({ caller, params, ports }) =>
      reply(undefined, { audit: { name: await revokeToken(ports, caller, params.token_id) } }),
  }),
];
