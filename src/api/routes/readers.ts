import { Type as t } from "@sinclair/typebox";
import { addReader, findProviderUser, listReaders, removeReader } from "../../domain/access/access.ts";
import { reply, route } from "../route.ts";
import {
  AddSiteReaderRequest,
  ProviderUserResponse,
  providerUserResponse,
  SiteReaderResponse,
  siteReaderResponse,
} from "../schemas/access.ts";

const common = { tag: "Access", auth: "site", operation: "manage_readers" } as const;
const notPrivate = "site is not private";
const lookupErrors = {
  400: "the provider username is invalid",
  404: "the site or the provider user does not exist",
  429: "too many logins looked up: try again in a minute",
  502: "the provider lookup failed",
};

export const readerRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/access/readers",
    summary: "List a site's readers",
    response: { 200: t.Array(SiteReaderResponse) },
    handler: async ({ caller, params, ports }) =>
      (await listReaders(ports, caller, params.name)).map(siteReaderResponse),
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/access/readers",
    summary: "Add a reader to a private site",
    description: "Adding an existing reader changes nothing. `@group` adds everybody in a group of the OIDC provider.",
    body: AddSiteReaderRequest,
    response: { 201: SiteReaderResponse },
    errors: {
      ...lookupErrors,
      409: "site is not private, or has 10 groups as readers, or the provider tells no groups",
    },
    audit: ({ login }) => (login ? `Added the reader ${login}` : "Added a reader"),
    handler: async ({ caller, params, body, ports }) => {
      const reader = await addReader(ports, caller, params.name, body.provider_login);
      return reply(siteReaderResponse(reader), {
        audit: { reader_id: String(reader.id), login: siteReaderResponse(reader).provider_login },
      });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/access/readers/:reader_id",
    summary: "Remove a reader from a private site",
    description: "Their next request is refused.",
    params: { reader_id: t.Integer() },
    errors: { 404: "the site or the reader does not exist", 409: notPrivate },
    audit: "Removed a reader",
    handler: ({ caller, params, ports }) => removeReader(ports, caller, params.name, params.reader_id),
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/access/provider-users/:provider_login",
    summary: "Look up a provider user for private-site access",
    response: { 200: ProviderUserResponse },
    errors: lookupErrors,
    handler: async ({ caller, params, ports }) =>
      providerUserResponse(await findProviderUser(ports, caller, params.name, params.provider_login)),
  }),
];
