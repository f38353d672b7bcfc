import { Type as t } from "@sinclair/typebox";
import { DomainError } from "../../domain/errors.ts";
import { EXCHANGED_TOKEN_LIFETIME_MS, exchangeIdToken } from "../../domain/publishers/exchange.ts";
import { addPublisher, listPublishers, removePublisher } from "../../domain/publishers/manage.ts";
import { FORM, readJsonOrForm } from "../body.ts";
import { connectionOf } from "../connection.ts";
import { reply, route } from "../route.ts";
import {
  ACCESS_TOKEN_TYPE,
  CreatePublisherRequest,
  ID_TOKEN_TYPE,
  PublisherResponse,
  publisherRequest,
  publisherResponse,
  TOKEN_EXCHANGE,
  TokenExchangeError,
  TokenExchangeRequest,
  TokenExchangeResponse,
} from "../schemas/publishers.ts";

const common = { tag: "Publishers", auth: "site" } as const;

/** Trusted publishing: a CI run proves with its ID token which workflow it is, and no secret is stored. */
export const publisherRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/publishers",
    operation: "manage_publishers",
    summary: "List a site's publishers",
    response: { 200: t.Array(PublisherResponse) },
    handler: async ({ caller, params, ports }) =>
      (await listPublishers(ports, caller, params.name)).map(publisherResponse),
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/publishers",
    operation: "manage_publishers",
    summary: "Add a publisher",
    description: "Lets a CI workflow deploy to the site without a stored secret: see POST /auth/token.",
    body: CreatePublisherRequest,
    response: { 201: PublisherResponse },
    errors: { 409: "the site has 20 publishers, the maximum" },
    audit: ({ publisher }) => (publisher ? `Added the publisher ${publisher}` : "Added a publisher"),
    handler: async ({ caller, params, body, ports }) => {
      const publisher = await addPublisher(ports, caller, params.name, publisherRequest(body));
      const audit = { publisher_id: publisher.id, publisher: publisher.repository };
      return reply(publisherResponse(publisher), { audit });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/publishers/:publisher_id",
    operation: "manage_publishers",
    summary: "Remove a publisher",
    description: "Deployment tokens that it was given are refused from the next request on.",
    errors: { 404: "publisher does not exist" },
    audit: "Removed a publisher",
    handler: ({ caller, params, ports }) => removePublisher(ports, caller, params.name, params.publisher_id),
  }),

  route({
    tag: "Publishers",
    auth: "public",
    endpoint: "POST /auth/token",
    summary: "Exchange an ID token",
    description:
      "Returns a deployment token for the ID token of a CI run that one of the site's publishers is for (RFC 8693). Takes a form or JSON.",
    body: TokenExchangeRequest,
    bodyFormat: "raw",
    rawType: FORM,
    response: { 200: TokenExchangeResponse, 400: TokenExchangeError },
    errors: {
      429: "too many token exchanges from this address: try again in a minute",
      503: "the ID token cannot be checked: its issuer does not answer",
    },
    audit: "Exchanged an ID token of CI for a deployment token",
    handler: async ({ request, ports }) => {
      const requested = requestedExchange(await readFields(request));
      const refused = (error: "invalid_request" | "invalid_target", detail: string) =>
        reply({ error, detail }, { status: 400 });
      if (requested === null) return refused("invalid_request", INVALID);
      const { address } = connectionOf(request);
      const result = await exchangeIdToken(ports, { ...requested, address, audience: ports.links.base });
      if ("error" in result) return refused(result.error, result.detail);
      return {
        access_token: result.token,
        issued_token_type: ACCESS_TOKEN_TYPE as typeof ACCESS_TOKEN_TYPE,
        token_type: "Bearer" as const,
        expires_in: EXCHANGED_TOKEN_LIFETIME_MS / 1000,
        scope: `site:${requested.siteName}`,
      };
    },
  }),
];

// --- internal ---

type Fields = Readonly<Record<string, unknown>>;

const INVALID = `send a form with grant_type=${TOKEN_EXCHANGE}, subject_token, subject_token_type=${ID_TOKEN_TYPE} and scope=site:NAME`;

/** RFC 8693 has its own error for an invalid request: a body that is no form has no fields. */
async function readFields(request: Request): Promise<Fields> {
  try {
    return ((await readJsonOrForm(request)) ?? {}) as Fields;
  } catch (error) {
    if (error instanceof DomainError && error.kind === "validation") return {};
    throw error;
  }
}

function requestedExchange({ grant_type, subject_token, subject_token_type, scope }: Fields) {
  const [, siteName] = /^site:(\S+)$/.exec(String(scope)) ?? [];
  const fits = grant_type === TOKEN_EXCHANGE && subject_token_type === ID_TOKEN_TYPE;
  if (!fits || typeof subject_token !== "string" || siteName === undefined) return null;
  return { idToken: subject_token, siteName };
}
