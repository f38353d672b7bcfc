import { Type as t } from "@sinclair/typebox";
import {
  findPreviewPolicy,
  listAliases,
  removeAlias,
  setAlias,
  setPreviewPolicy,
} from "../../domain/deployments/previews.ts";
import { reply, route } from "../route.ts";
import {
  AliasRequest,
  AliasResponse,
  aliasLifetime,
  aliasResponse,
  PreviewPolicyRequest,
  PreviewPolicyResponse,
  previewLifetime,
  previewPolicyResponse,
} from "../schemas/previews.ts";

const common = { tag: "Previews", auth: "site" } as const;

export const previewRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/aliases",
    summary: "List a site's aliases",
    operation: "list_deployments",
    response: { 200: t.Array(AliasResponse) },
    handler: async ({ caller, params: { name }, ports }) => {
      const aliases = await listAliases(ports, caller, name);
      return aliases.map((alias) => aliasResponse(ports.links, alias));
    },
  }),

  route({
    ...common,
    endpoint: "PUT /sites/:name/aliases/:alias",
    summary: "Point an alias to a deployment",
    description:
      "Creates the alias, or moves it in one step. Its name becomes one DNS label: lower case, with hyphens for all but " +
      "a-z and 0-9; a long one is cut and ends in a hash.",
    operation: "move_aliases",
    body: AliasRequest,
    response: { 200: AliasResponse, 201: AliasResponse },
    errors: {
      404: "site or deployment does not exist",
      409: "brisk-otter-4821 has 100 aliases, which is the limit: remove one first",
    },
    audit: ({ alias, deployment_number }) => `Pointed the alias ${alias} to deployment ${deployment_number}`,
    handler: async ({ caller, params, body: { deployment_number: deploymentNumber, expires_in }, ports }) => {
      const named = { siteName: params.name, alias: params.alias };
      const to = { deploymentNumber, lifetime: aliasLifetime(expires_in) };
      const { alias, isNew } = await setAlias(ports, caller, named, to);
      return reply(aliasResponse(ports.links, alias), {
        status: isNew ? 201 : 200,
        audit: { alias: alias.name, deployment_number: String(deploymentNumber) },
      });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/aliases/:alias",
    summary: "Remove an alias",
    description: "Its deployment stays.",
    operation: "move_aliases",
    errors: { 404: "site or alias does not exist" },
    audit: ({ alias }) => `Removed the alias ${alias}`,
    handler: async ({ caller, params: { name: siteName, alias }, ports }) =>
      reply(undefined, { audit: { alias: await removeAlias(ports, caller, { siteName, alias }) } }),
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/previews",
    summary: "Get a site's policy for previews",
    operation: "manage_previews",
    response: { 200: PreviewPolicyResponse },
    handler: async ({ caller, params, ports }) =>
      previewPolicyResponse(await findPreviewPolicy(ports, caller, params.name)),
  }),

  route({
    ...common,
    endpoint: "PUT /sites/:name/previews",
    summary: "Set a site's policy for previews",
    description:
      "Access holds at once for all aliases and for the URLs of deployments that were never active. The expiry " +
      "holds for previews made from now on.",
    operation: "manage_previews",
    body: PreviewPolicyRequest,
    response: { 200: PreviewPolicyResponse },
    audit: "Changed the policy for previews",
    handler: async ({ caller, params, body: { access, expires_in }, ports }) => {
      const lifetime = expires_in === undefined ? undefined : previewLifetime(expires_in);
      const change = { ...(access && { access }), ...(lifetime && { lifetime }) };
      return previewPolicyResponse(await setPreviewPolicy(ports, caller, params.name, change));
    },
  }),
];
