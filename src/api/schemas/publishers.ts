import { type Static, Type as t } from "@sinclair/typebox";
import { fieldError } from "../../domain/errors.ts";
import { TOKEN_PERMISSIONS } from "../../domain/model/permission.ts";
import { PUBLISHER_PROVIDERS, type Publisher } from "../../domain/model/publisher.ts";
import type { PublisherRequest } from "../../domain/publishers/manage.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { text } from "./text.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

const optionalText = (maxLength: number, description: string) =>
  t.Optional(orNull(text({ minLength: 1, maxLength }), { description }));

export const CreatePublisherRequest = t.Object(
  {
    provider: oneOf(PUBLISHER_PROVIDERS),
    issuer: optionalText(
      500,
      "Who issues the ID tokens, one of --ci-issuers; without it github.com's or gitlab.com's. Forgejo needs it, such as https://forgejo.example.org/api/actions",
    ),
    repository: text({
      minLength: 3,
      maxLength: 500,
      description: "`owner/repository`, or the path of a GitLab project with its groups",
    }),
    workflow: optionalText(255, "Only runs of this workflow: the name of its file, such as deploy.yml"),
    ref: optionalText(500, "Only runs for this branch or tag, in full, such as refs/heads/main"),
    environment: optionalText(255, "Only jobs of this environment"),
    permission: oneOf(TOKEN_PERMISSIONS, {
      description: "`publish` needs `ref` or `environment`; `preview` makes previews and moves aliases",
    }),
  },
  {
    examples: [
      {
        provider: "github",
        repository: "octo/blog",
        workflow: "deploy.yml",
        ref: "refs/heads/main",
        permission: "publish",
      },
    ],
  },
);

/** Returns the values of a request. Throws `validation` for a value in another format than the providers' claims. */
export function publisherRequest(body: Static<typeof CreatePublisherRequest>): PublisherRequest {
  const { provider, issuer = null, repository, workflow = null, ref = null, environment = null, permission } = body;
  requireForm(/^[\w.-]+(\/[\w.-]+)+$/, "repository", repository, "Give owner/repository");
  requireForm(
    /^[^/@]+$/,
    "workflow",
    workflow,
    "Give the name of the workflow's file without folders, such as deploy.yml",
  );
  requireForm(/^refs\/[^\s]+$/, "ref", ref, "Give the whole ref, such as refs/heads/main or refs/tags/v1");
  return { provider, issuer, repository, workflow, ref, environment, permission };
}

export const PublisherResponse = namedSchema(
  "PublisherResponse",
  {
    id: t.String(),
    provider: oneOf(PUBLISHER_PROVIDERS),
    issuer: t.String(),
    repository: t.String(),
    workflow: TextOrNull,
    ref: TextOrNull,
    environment: TextOrNull,
    permission: oneOf(TOKEN_PERMISSIONS),
    repository_id: orNull(t.String(), { description: "Kept at the first use: from then on this number decides" }),
    owner_id: orNull(t.String(), { description: "The same of the repository's owner" }),
    created_at: Moment,
    last_used_at: orNull(Moment),
  },
  {
    id: "5f0c1d2e3a4b5c6d7e8f",
    provider: "github",
    issuer: "https://token.actions.githubusercontent.com",
    repository: "octo/blog",
    workflow: "deploy.yml",
    ref: "refs/heads/main",
    environment: null,
    permission: "publish",
    repository_id: "74",
    owner_id: "65",
    created_at: "2026-11-01T09:30:00.000Z",
    last_used_at: "2026-11-20T16:05:12.418Z",
  },
);

export function publisherResponse(publisher: Publisher): Static<typeof PublisherResponse> {
  const { id, provider, issuer, repository, workflow, ref, environment, permission, pinned } = publisher;
  return {
    ...{ id, provider, issuer, repository, workflow, ref, environment, permission },
    repository_id: pinned?.repositoryId ?? null,
    owner_id: pinned?.ownerId ?? null,
    created_at: timestamp(publisher.createdAt),
    last_used_at: momentOrNull(publisher.lastUsedAt),
  };
}

export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
export const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Only documented: an invalid request gets 400 and `invalid_request`, as RFC 8693 requires. */
export const TokenExchangeRequest = t.Object(
  {
    grant_type: t.String({ enum: [TOKEN_EXCHANGE] }),
    subject_token: t.String({ description: "The ID token of the CI run; its audience is the server's base URL" }),
    subject_token_type: t.String({ enum: [ID_TOKEN_TYPE] }),
    scope: t.String({ description: "`site:` and the site's name" }),
  },
  {
    examples: [
      {
        grant_type: TOKEN_EXCHANGE,
        subject_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ…",
        subject_token_type: ID_TOKEN_TYPE,
        scope: "site:brisk-otter-4821",
      },
    ],
  },
);

export const TokenExchangeResponse = namedSchema(
  "TokenExchangeResponse",
  {
    access_token: t.String({ description: "A deployment token for the site" }),
    issued_token_type: t.Literal(ACCESS_TOKEN_TYPE),
    token_type: t.Literal("Bearer"),
    expires_in: t.Integer(),
    scope: t.String(),
  },
  {
    access_token: "vtd_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: "Bearer",
    expires_in: 600,
    scope: "site:brisk-otter-4821",
  },
);

export const TokenExchangeError = namedSchema(
  "TokenExchangeError",
  { error: oneOf(["invalid_request", "invalid_target"]), detail: t.String() },
  {
    error: "invalid_target",
    detail:
      'the ID token does not fit the publisher: ref: "refs/heads/dev", but the publisher asks for "refs/heads/main"',
  },
);

// --- internal ---

function requireForm(form: RegExp, field: string, value: string | null, message: string): void {
  if (value !== null && !form.test(value)) throw fieldError(["body", field], message);
}
