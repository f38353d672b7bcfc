import { Elysia, t } from "elysia";
import { addReader, findProviderUser, listReaders, removeReader } from "../../domain/access/access.ts";
import { authenticated } from "../authenticate.ts";
import { setAuditSubject } from "../change-notes.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  AddSiteReaderRequest,
  ProviderUserResponse,
  providerUserResponse,
  SiteReaderResponse,
  siteReaderResponse,
} from "../schemas/access.ts";
import { siteParams } from "../schemas/params.ts";

const tags = ["Access"];
const notPrivate = "site is not private";
const lookupErrors = {
  400: "the provider username is invalid",
  404: "the site or the provider user does not exist",
  502: "the provider lookup failed",
};

export function readerRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/sites/:name/access/readers",
      async ({ caller, params }) => (await listReaders(ports, caller, params.name)).map(siteReaderResponse),
      {
        params: siteParams,
        response: { 200: t.Array(SiteReaderResponse) },
        detail: describe({
          summary: "List a site's readers",
          tags,
          errors: OWNED_SITE,
        }),
      },
    )
    .post(
      "/sites/:name/access/readers",
      async ({ caller, params, body, set, request }) => {
        const reader = await addReader(ports, caller, params.name, body.provider_login);
        setAuditSubject(request, { reader_id: String(reader.id), login: reader.login });
        set.status = 201;
        return siteReaderResponse(reader);
      },
      {
        params: siteParams,
        body: AddSiteReaderRequest,
        response: { 201: SiteReaderResponse },
        detail: describe({
          summary: "Add a reader to a private site",
          description: "Adding an existing reader changes nothing.",
          tags,
          errors: { ...OWNED_SITE, ...lookupErrors, 409: notPrivate },
        }),
      },
    )
    .delete(
      "/sites/:name/access/readers/:reader_id",
      async ({ caller, params, set }) => {
        await removeReader(ports, caller, params.name, params.reader_id);
        set.status = 204;
      },
      {
        params: t.Object({ name: t.String(), reader_id: t.Integer() }),
        detail: describe({
          summary: "Remove a reader from a private site",
          description: "Their next request is refused.",
          tags,
          errors: { ...OWNED_SITE, 404: "the site or the reader does not exist", 409: notPrivate },
        }),
      },
    )
    .get(
      "/sites/:name/access/provider-users/:provider_login",
      async ({ caller, params }) =>
        providerUserResponse(await findProviderUser(ports, caller, params.name, params.provider_login)),
      {
        params: t.Object({ name: t.String(), provider_login: t.String() }),
        response: { 200: ProviderUserResponse },
        detail: describe({
          summary: "Look up a provider user for private-site access",
          tags,
          errors: { ...OWNED_SITE, ...lookupErrors },
        }),
      },
    );
}
