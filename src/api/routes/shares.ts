import { Type as t } from "@sinclair/typebox";
import { createShare, listShares, revokeShare } from "../../domain/shares/manage.ts";
import { reply, route } from "../route.ts";
import {
  CreatedShareResponse,
  CreateShareRequest,
  createdShareResponse,
  ShareResponse,
  shareRequest,
  shareResponse,
} from "../schemas/shares.ts";

const common = { tag: "Shares", auth: "site", operation: "manage_shares" } as const;

/** Access to a private site without an account. */
export const shareRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/shares",
    summary: "List a site's shares, newest first",
    response: { 200: t.Array(ShareResponse) },
    handler: async ({ caller, params, ports }) => (await listShares(ports, caller, params.name)).map(shareResponse),
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/shares",
    summary: "Share a private site",
    description:
      "Makes a link, a password or a bearer token that opens the private site, or a private preview, without an account. Secrets are returned only here.",
    body: CreateShareRequest,
    response: { 201: CreatedShareResponse },
    errors: { 409: "site is not private", 404: "site, alias or deployment does not exist" },
    audit: ({ share }) => (share ? `Created the share ${share}` : "Created a share"),
    handler: async ({ caller, params, body, ports }) => {
      const created = await createShare(ports, caller, params.name, shareRequest(body));
      const audit = { share_id: created.share.id, share: created.share.label };
      return reply(createdShareResponse(ports.links, created), { audit });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/shares/:share_id",
    summary: "Revoke a share",
    description: "Visitors who entered with it are refused from the next request on, also on open connections.",
    errors: { 404: "share does not exist" },
    audit: "Revoked a share",
    handler: ({ caller, params, ports }) => revokeShare(ports, caller, params.name, params.share_id),
  }),
];
