import { Type as t } from "@sinclair/typebox";
import { AGENT_WORDS } from "../../domain/model/scope.ts";
import type { Links } from "./links.ts";
import { namedSchema, oneOf } from "./values.ts";

const BASE = "https://pages.example.org";

/** RFC 9728. */
export const ProtectedResource = namedSchema(
  "ProtectedResource",
  {
    resource: t.String({ format: "uri" }),
    authorization_servers: t.Array(t.String({ format: "uri" })),
    scopes_supported: t.Array(t.String()),
    bearer_methods_supported: t.Array(t.String()),
    resource_name: t.String(),
    resource_documentation: t.String({ format: "uri" }),
  },
  protectedResource({ base: BASE, mcp: `${BASE}/mcp` }),
);

/** A client asks for all scopes that stand here, so that this is the least that is useful. */
export function protectedResource({ base, mcp }: Pick<Links, "base" | "mcp">) {
  return {
    resource: mcp,
    authorization_servers: [base],
    scopes_supported: ["preview"],
    bearer_methods_supported: ["header"],
    resource_name: "Vitrine",
    resource_documentation: `${base}/docs`,
  };
}

/** RFC 8414. */
export const AuthorizationServer = namedSchema(
  "AuthorizationServer",
  {
    issuer: t.String({ format: "uri" }),
    authorization_endpoint: t.String({ format: "uri" }),
    token_endpoint: t.String({ format: "uri" }),
    registration_endpoint: t.String({ format: "uri" }),
    revocation_endpoint: t.String({ format: "uri" }),
    scopes_supported: t.Array(t.String()),
    response_types_supported: t.Array(t.String()),
    response_modes_supported: t.Array(t.String()),
    grant_types_supported: t.Array(t.String()),
    token_endpoint_auth_methods_supported: t.Array(t.String()),
    revocation_endpoint_auth_methods_supported: t.Array(t.String()),
    code_challenge_methods_supported: t.Array(t.String()),
    authorization_response_iss_parameter_supported: t.Boolean(),
    client_id_metadata_document_supported: t.Boolean(),
  },
  authorizationServer({ base: BASE }),
);

export function authorizationServer({ base }: Pick<Links, "base">) {
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/auth/oauth/token`,
    registration_endpoint: `${base}/auth/oauth/register`,
    revocation_endpoint: `${base}/auth/oauth/revoke`,
    scopes_supported: [...AGENT_WORDS],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** Only documented: an invalid request gets 400 with an error of RFC 6749. */
export const AgentTokenRequest = t.Object(
  {
    grant_type: oneOf(["authorization_code", "refresh_token"]),
    client_id: t.String(),
    code: t.Optional(t.String()),
    redirect_uri: t.Optional(t.String()),
    code_verifier: t.Optional(t.String({ description: "RFC 7636" })),
    refresh_token: t.Optional(t.String()),
    resource: t.Optional(t.String({ description: "The URL of /mcp; by default that of the code" })),
    scope: t.Optional(t.String()),
  },
  {
    examples: [
      {
        grant_type: "authorization_code",
        client_id: "0123456789abcdef0123456789abcdef",
        code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A",
        redirect_uri: "https://claude.ai/api/mcp/auth_callback",
        code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        resource: `${BASE}/mcp`,
      },
    ],
  },
);

export const AgentTokenResponse = namedSchema(
  "AgentTokenResponse",
  {
    access_token: t.String({ description: "Valid at /mcp and nowhere else" }),
    token_type: t.Literal("Bearer"),
    expires_in: t.Integer({ description: "Seconds" }),
    refresh_token: t.String({ description: "Good once: each refresh gives another" }),
    scope: t.String({ description: "What was granted, which may be less than was asked for" }),
  },
  {
    access_token: "vts_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
    token_type: "Bearer",
    expires_in: 3600,
    refresh_token: "vtr_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn.GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A",
    scope: "preview site:blog",
  },
);

const TOKEN_ERRORS = [
  "invalid_request",
  "invalid_grant",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
] as const;

function oauthError<const T extends string>(
  title: string,
  errors: readonly T[],
  example: { error: T; detail: string },
) {
  return t.Object(
    {
      error: oneOf(errors),
      error_description: t.String({ description: "The same as detail, under the name of RFC 6749" }),
      detail: t.String(),
    },
    { title, examples: [{ error: example.error, error_description: example.detail, detail: example.detail }] },
  );
}

export const AgentTokenError = oauthError("AgentTokenError", TOKEN_ERRORS, {
  error: "invalid_grant",
  detail: "the code is unknown or expired: ask for consent again",
});

/** Only documented: an invalid request gets 400 and `invalid_request`. */
export const RevokeRequest = t.Object(
  {
    token: t.String(),
    token_type_hint: t.Optional(t.String()),
    client_id: t.Optional(t.String()),
  },
  {
    examples: [
      {
        token: "vts_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
        token_type_hint: "access_token",
        client_id: "0123456789abcdef0123456789abcdef",
      },
    ],
  },
);

/** The same for every token, known or not. */
export const Revoked = namedSchema("Revoked", {}, {});

export const RevokeError = oauthError("RevokeError", ["invalid_request"], {
  error: "invalid_request",
  detail: "send a form with token",
});

/** RFC 7591; other metadata is ignored. */
export const RegisterRequest = t.Object(
  {
    redirect_uris: t.Array(t.String()),
    client_name: t.Optional(t.String()),
  },
  {
    examples: [{ client_name: "An editor", redirect_uris: ["http://127.0.0.1/callback"] }],
  },
);

export const RegisterResponse = namedSchema(
  "RegisterResponse",
  {
    client_id: t.String(),
    client_id_issued_at: t.Integer({ description: "Seconds since 1970" }),
    client_name: t.String(),
    redirect_uris: t.Array(t.String()),
    grant_types: t.Array(t.String()),
    response_types: t.Array(t.String()),
    token_endpoint_auth_method: t.Literal("none"),
  },
  {
    client_id: "0123456789abcdef0123456789abcdef",
    client_id_issued_at: 1_793_525_400,
    client_name: "An editor",
    redirect_uris: ["http://127.0.0.1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
);

export const RegisterError = oauthError("RegisterError", ["invalid_redirect_uri", "invalid_client_metadata"], {
  error: "invalid_redirect_uri",
  detail: '"https://evil.example/" is not on the list of the operator of this server (--mcp-redirects)',
});
