import { Type as t } from "@sinclair/typebox";
import { deleteSite } from "../../domain/sites/delete.ts";
import { changeExpiry } from "../../domain/sites/expiry.ts";
import { renameSite } from "../../domain/sites/rename.ts";
import { figuresOfOwnSites } from "../../domain/sites/site-figures.ts";
import { setTags } from "../../domain/sites/tags.ts";
import { reply, route } from "../route.ts";
import {
  ExpiryRequest,
  RenameRequest,
  SharedSiteResponse,
  SiteFiguresResponse,
  SiteResponse,
  sharedSiteResponse,
  siteFiguresResponse,
  siteLifetime,
  siteResponse,
  TagsRequest,
} from "../schemas/sites.ts";

const tag = "Deploy and sites";

/** Anybody can make anybody a reader, so the response is limited. */
const MAX_SHARED_SITES = 1000;

export const siteRoutes = [
  route({
    endpoint: "GET /sites",
    summary: "List the sites on which you work",
    tag,
    auth: "session",
    query: { tag: t.Optional(t.String({ description: "Only sites with this tag" })) },
    response: { 200: t.Array(SiteResponse) },
    handler: async ({ caller, query: { tag: wanted }, ports }) => {
      const sites = await ports.store.sites.listOfMember(caller.user.id, caller.at);
      return sites.filter(({ tags }) => wanted === undefined || tags.includes(wanted)).map(siteResponse);
    },
  }),

  route({
    endpoint: "GET /site-figures",
    summary: "Get figures of your sites",
    description: "By name: views and deployments of 30 days, domains, and who deployed last.",
    tag,
    auth: "session",
    response: { 200: t.Array(SiteFiguresResponse) },
    handler: async ({ caller, ports }) => (await figuresOfOwnSites(ports, caller)).map(siteFiguresResponse),
  }),

  route({
    endpoint: "GET /shared-sites",
    summary: "List the private sites that others share with you",
    description: `By name, ${MAX_SHARED_SITES} at most.`,
    tag,
    auth: "session",
    response: { 200: t.Array(SharedSiteResponse) },
    handler: async ({ caller, ports }) => {
      const shared = await ports.store.readers.sitesOf(caller.user.id, MAX_SHARED_SITES, caller.at);
      return shared.map((site) => sharedSiteResponse(ports.links, site));
    },
  }),

  route({
    endpoint: "PUT /sites/:name/tags",
    summary: "Set a site's tags",
    tag,
    auth: "site",
    operation: "change_tags",
    body: TagsRequest,
    response: { 200: SiteResponse },
    audit: "Changed the tags",
    handler: async ({ caller, params, body, ports }) =>
      siteResponse(await setTags(ports, caller, params.name, body.tags)),
  }),

  route({
    endpoint: "PUT /sites/:name/expiry",
    summary: "Set when a site expires",
    description:
      "Then visitors get 410, and nothing can be deployed. For 7 days another expiry brings the site back; after that it is removed.",
    tag,
    auth: "site",
    operation: "change_expiry",
    body: ExpiryRequest,
    response: { 200: SiteResponse },
    audit: ({ expires_at: at }) => (at === "never" ? "Let the site stay" : `Let the site expire at ${at}`),
    handler: async ({ caller, params, body, ports }) => {
      const site = siteResponse(await changeExpiry(ports, caller, params.name, siteLifetime(body)));
      return reply(site, { audit: { expires_at: site.expires_at ?? "never" } });
    },
  }),

  route({
    endpoint: "POST /sites/:name/rename",
    summary: "Rename a site",
    description:
      "Everything else of the site stays. For 90 days, its former hosts redirect to the new ones with 308, and a credential of the site may use the former name.",
    tag,
    auth: "site",
    operation: "rename",
    body: RenameRequest,
    response: { 200: SiteResponse },
    errors: { 409: "the name is taken or reserved: choose another" },
    audit: ({ former_name }) => `Renamed the site, which was called ${former_name}`,
    handler: async ({ caller, params, body, ports }) => {
      const { formerName, ...site } = await renameSite(ports, caller, params.name, body.name);
      return reply(siteResponse({ ...site, role: "owner" }), { audit: { name: site.name, former_name: formerName } });
    },
  }),

  route({
    endpoint: "DELETE /sites/:name",
    summary: "Delete a site",
    description: "Deletes the site with all its deployments, tokens and readers.",
    tag,
    auth: "site",
    operation: "delete",
    errors: { 409: "every custom domain must complete removal first" },
    audit: "Deleted the site",
    handler: ({ caller, params, ports }) => deleteSite(ports, caller, params.name),
  }),
];
