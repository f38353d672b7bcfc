import { Elysia, t } from "elysia";
import { deleteSite } from "../../domain/sites/delete.ts";
import { requireSession } from "../../domain/sites/ownership.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { siteParams } from "../schemas/params.ts";
import { SharedSiteResponse, SiteResponse, sharedSiteResponse, siteResponse } from "../schemas/sites.ts";

const tags = ["Deploy and sites"];

/** Anybody may make anybody a reader: what others add does not make an answer longer than this. */
const MAX_SHARED_SITES = 1000;

export function siteRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/sites",
      async ({ caller }) => {
        const { user } = requireSession(caller);
        return (await ports.store.sites.listOfOwner(user.id)).map(siteResponse);
      },
      {
        response: { 200: t.Array(SiteResponse) },
        detail: describe({ summary: "List your sites", tags, errors: { 403: "a session token is required" } }),
      },
    )
    .get(
      "/shared-sites",
      async ({ caller }) => {
        const { user } = requireSession(caller);
        const shared = await ports.store.readers.sitesOf(user.id, MAX_SHARED_SITES);
        return shared.map((site) => sharedSiteResponse(ports.links, site));
      },
      {
        response: { 200: t.Array(SharedSiteResponse) },
        detail: describe({
          summary: "List the private sites that others share with you",
          description: `By name, ${MAX_SHARED_SITES} at most.`,
          tags,
          errors: { 403: "a session token is required" },
        }),
      },
    )
    .delete(
      "/sites/:name",
      async ({ caller, params, set }) => {
        await deleteSite(ports, caller, params.name);
        set.status = 204;
      },
      {
        params: siteParams,
        detail: describe({
          summary: "Delete a site",
          description: "Deletes the site with all its deployments, tokens and readers.",
          tags,
          errors: { ...OWNED_SITE, 409: "every custom domain must complete removal first" },
        }),
      },
    );
}
