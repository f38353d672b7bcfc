import { registerClient } from "../../domain/agents/clients.ts";
import {
  exchangeCode,
  type GrantedTokens,
  refreshTokens,
  revokeToken,
  type TokenRefusal,
} from "../../domain/agents/tokens.ts";
import { FORM, MAX_JSON_BYTES, mediaType, readJson, readText } from "../body.ts";
import { connectionOf } from "../connection.ts";
import type { RoutePorts } from "../ports.ts";
import { reply, route } from "../route.ts";
import {
  AgentTokenError,
  AgentTokenRequest,
  AgentTokenResponse,
  AuthorizationServer,
  authorizationServer,
  ProtectedResource,
  protectedResource,
  RegisterError,
  RegisterRequest,
  RegisterResponse,
  Revoked,
  RevokeError,
  RevokeRequest,
} from "../schemas/oauth.ts";

const common = { tag: "Agents", auth: "public" } as const;

const resourceDocument = {
  ...common,
  description: "Tells agents who gives access to /mcp (RFC 9728).",
  response: { 200: ProtectedResource },
  handler: ({ ports }: { readonly ports: RoutePorts }) => protectedResource(ports.links),
} as const;

/** The authorization server for agents: documents, tokens and registration (OAuth 2.1). People consent at /authorize. */
export const oauthRoutes = [
  route({
    ...resourceDocument,
    endpoint: "GET /.well-known/oauth-protected-resource",
    summary: "Describe the protected resource",
  }),
  route({
    ...resourceDocument,
    endpoint: "GET /.well-known/oauth-protected-resource/mcp",
    summary: "Describe /mcp as a protected resource",
  }),

  route({
    ...common,
    endpoint: "GET /.well-known/oauth-authorization-server",
    summary: "Describe the authorization server",
    description: "Where agents ask for access, and how (RFC 8414).",
    response: { 200: AuthorizationServer },
    handler: ({ ports }) => authorizationServer(ports.links),
  }),

  route({
    ...common,
    endpoint: "POST /auth/oauth/token",
    summary: "Get or refresh an agent's tokens",
    description:
      "Redeems the code of a consent, once and within 60 seconds, or a refresh token, which is replaced. A code or refresh token that is used again ends the session.",
    body: AgentTokenRequest,
    bodyFormat: "raw",
    rawType: FORM,
    response: { 200: AgentTokenResponse, 400: AgentTokenError },
    // Recorded when the person consents.
    audit: null,
    handler: async ({ request, ports }) => {
      const result = await grant(ports, await readForm(request), connectionOf(request).address);
      if ("error" in result) return refused(result);
      return {
        access_token: result.accessToken,
        token_type: "Bearer" as const,
        expires_in: result.expiresIn,
        refresh_token: result.refreshToken,
        scope: result.scope,
      };
    },
  }),

  route({
    ...common,
    endpoint: "POST /auth/oauth/revoke",
    summary: "End an agent's session",
    description: "Ends the session of an access or refresh token of an agent (RFC 7009), and touches no other token.",
    body: RevokeRequest,
    bodyFormat: "raw",
    rawType: FORM,
    response: { 200: Revoked, 400: RevokeError },
    audit: null,
    handler: async ({ request, ports }) => {
      const form = await readForm(request);
      const token = form?.get("token");
      if (!form || !token) return refused({ error: "invalid_request", detail: "send a form with token" });
      await revokeToken(ports, token, form.get("client_id"));
      return {};
    },
  }),

  route({
    ...common,
    endpoint: "POST /auth/oauth/register",
    summary: "Register an agent",
    description:
      "Registers a program without a secret (RFC 7591), for redirect URIs on the operator's list and on the user's own machine. One that nobody gives access to is forgotten after 1,000 others.",
    body: RegisterRequest,
    bodyFormat: "raw",
    rawType: "application/json",
    response: { 201: RegisterResponse, 400: RegisterError },
    errors: { 429: "too many programs from this address: try again in a minute" },
    audit: null,
    handler: async ({ request, ports }) => {
      const sent = ((await readJson(request)) ?? {}) as Readonly<Record<string, unknown>>;
      const asked = { name: sent.client_name, redirectUris: sent.redirect_uris };
      const client = await registerClient(ports, asked, connectionOf(request).address);
      if ("error" in client) return refused(client);
      const body = {
        client_id: client.id,
        client_id_issued_at: Math.floor(client.createdAt / 1000),
        client_name: client.name,
        redirect_uris: [...client.redirectUris],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none" as const,
      };
      return reply(body, { status: 201 });
    },
  }),
];

// --- internal ---

/** Returns the form of a request, in which every field occurs once; null for anything else (RFC 6749 section 3.2). */
async function readForm(request: Request): Promise<URLSearchParams | null> {
  const form = new URLSearchParams(await readText(request, MAX_JSON_BYTES));
  const names = [...form.keys()];
  return mediaType(request) === FORM && new Set(names).size === names.length ? form : null;
}

async function grant(
  ports: RoutePorts,
  form: URLSearchParams | null,
  address: string,
): Promise<GrantedTokens | TokenRefusal> {
  if (form === null) return invalid("send a form in which no field occurs twice");
  const resource = form.get("resource");
  const clientId = form.get("client_id");
  if (!clientId) return invalid("send client_id");
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const [code, redirectUri, verifier] = ["code", "redirect_uri", "code_verifier"].map((name) => form.get(name));
      if (!code || !redirectUri || !verifier) return invalid("send code, redirect_uri and code_verifier");
      return exchangeCode(ports, { code, clientId, redirectUri, verifier, resource, address });
    }
    case "refresh_token": {
      const refreshToken = form.get("refresh_token");
      if (!refreshToken) return invalid("send refresh_token");
      return refreshTokens(ports, { refreshToken, clientId, resource, scope: form.get("scope") }, ports.links.mcp);
    }
    case null:
      return invalid("send grant_type");
    default:
      return { error: "unsupported_grant_type", detail: "send grant_type=authorization_code or refresh_token" };
  }
}

function invalid(detail: string): TokenRefusal {
  return { error: "invalid_request", detail };
}

function refused<const E extends string>({ error, detail }: { readonly error: E; readonly detail: string }) {
  return reply({ error, error_description: detail, detail }, { status: 400 });
}
