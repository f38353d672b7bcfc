import { Elysia, t } from "elysia";
import { createToken, DEFAULT_TOKEN_NAME, listTokens, revokeToken } from "../../domain/tokens/deployment-tokens.ts";
import { authenticated } from "../authenticate.ts";
import { setAuditSubject } from "../change-notes.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  CreatedDeploymentTokenResponse,
  CreateTokenRequest,
  createdTokenResponse,
  DeploymentTokenResponse,
  deploymentTokenResponse,
  tokenLifetime,
} from "../schemas/tokens.ts";

const tags = ["Deployment tokens"];
const sessionRequired = "a session token is required";

export function tokenRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .post(
      "/tokens",
      async ({ caller, body, set, request }) => {
        const { site_name: siteName, name = DEFAULT_TOKEN_NAME, permission = "publish" } = body;
        const wanted = { siteName, name, permission, lifetime: tokenLifetime(body.expires_in) };
        const created = await createToken(ports, caller, wanted);
        setAuditSubject(request, { name: created.siteName, token_id: created.id, token: created.name });
        set.status = 201;
        return createdTokenResponse(created);
      },
      {
        body: CreateTokenRequest,
        response: { 201: CreatedDeploymentTokenResponse },
        detail: describe({
          summary: "Create a deployment token",
          description:
            "It can deploy to one site and list its deployments; with the permission `publish` it can also activate them. Its value is returned only here.",
          tags,
          errors: { ...OWNED_SITE, 429: "too many tokens created: try again later" },
        }),
      },
    )
    .get("/tokens", async ({ caller }) => (await listTokens(ports, caller)).map(deploymentTokenResponse), {
      response: { 200: t.Array(DeploymentTokenResponse) },
      detail: describe({ summary: "List your deployment tokens", tags, errors: { 403: sessionRequired } }),
    })
    .delete(
      "/tokens/:token_id",
      async ({ caller, params, set, request }) => {
        setAuditSubject(request, { name: await revokeToken(ports, caller, params.token_id) });
        set.status = 204;
      },
      {
        params: t.Object({ token_id: t.String() }),
        detail: describe({
          summary: "Revoke a deployment token",
          tags,
          errors: { 403: sessionRequired, 404: "the deployment token does not exist" },
        }),
      },
    );
}
