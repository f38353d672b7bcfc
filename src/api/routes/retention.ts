import { Elysia, t } from "elysia";
import {
  findSiteRetention,
  MAX_KEPT,
  pinDeployment,
  previewSiteRetention,
  type RetentionPolicy,
  setSiteRetention,
} from "../../domain/deployments/retention.ts";
import { fieldError } from "../../domain/errors.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { deploymentParams, siteParams as params } from "../schemas/params.ts";
import {
  DeploymentPinResponse,
  RetentionPolicyRequest,
  RetentionPreviewResponse,
  RetentionResponse,
  retentionPreviewResponse,
  retentionResponse,
} from "../schemas/retention.ts";

const tags = ["Retention"];
const errors = OWNED_SITE;
const pinErrors = { ...errors, 404: "site or deployment does not exist" };

const rule = t.Optional(t.Integer({ minimum: 1, maximum: MAX_KEPT }));
const previewQuery = t.Object({
  keep_last: rule,
  keep_days: rule,
  default: t.Optional(t.Boolean({ description: "Preview the server default; cannot be combined with a rule" })),
});

export function retentionRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/sites/:name/retention",
      async ({ caller, params }) => retentionResponse(await findSiteRetention(ports, caller, params.name)),
      {
        params,
        response: { 200: RetentionResponse },
        detail: describe({ summary: "Get a site's retention policy", tags, errors }),
      },
    )
    .put(
      "/sites/:name/retention",
      async ({ caller, params, body }) => {
        const policy = { last: body.keep_last, days: body.keep_days };
        return retentionResponse(await setSiteRetention(ports, caller, params.name, policy));
      },
      {
        params,
        body: RetentionPolicyRequest,
        response: { 200: RetentionResponse },
        detail: describe({
          summary: "Set a site's retention policy",
          description:
            "Deployments that it does not keep are deleted within an hour. The active one, the one before it, pinned ones and " +
            "those that were active within the last seven days always stay.",
          tags,
          errors,
        }),
      },
    )
    .delete(
      "/sites/:name/retention",
      async ({ caller, params, set }) => {
        await setSiteRetention(ports, caller, params.name, null);
        set.status = 204;
      },
      { params, detail: describe({ summary: "Reset a site's retention policy to the server default", tags, errors }) },
    )
    .get(
      "/sites/:name/retention/preview",
      async ({ caller, params, query }) => {
        const asked = askedPolicy(query, ports.retention);
        return retentionPreviewResponse(await previewSiteRetention(ports, caller, params.name, asked));
      },
      {
        params,
        query: previewQuery,
        response: { 200: RetentionPreviewResponse },
        detail: describe({
          summary: "Preview what a retention policy deletes",
          description:
            "Deletes nothing. Without a rule in the query it previews the policy in force, with `default=true` the " +
            "server's, to which the site would go back.",
          tags,
          errors,
        }),
      },
    )
    .post(
      "/sites/:name/deployments/:deployment_number/pin",
      async ({ caller, params: { name, deployment_number } }) => {
        await pinDeployment(ports, caller, name, deployment_number, true);
        return { deployment_number, pinned: true };
      },
      {
        params: deploymentParams,
        response: { 200: DeploymentPinResponse },
        detail: describe({
          summary: "Pin a deployment",
          description: "A pinned deployment is kept regardless of the retention policy.",
          tags,
          errors: pinErrors,
        }),
      },
    )
    .delete(
      "/sites/:name/deployments/:deployment_number/pin",
      async ({ caller, params: { name, deployment_number }, set }) => {
        await pinDeployment(ports, caller, name, deployment_number, false);
        set.status = 204;
      },
      {
        params: deploymentParams,
        detail: describe({ summary: "Unpin a deployment", tags, errors: pinErrors }),
      },
    );
}

// --- internal ---

/** Returns the policy that a query means; null for the one that holds. */
function askedPolicy(query: typeof previewQuery.static, standard: RetentionPolicy): RetentionPolicy | null {
  const { keep_last: last = null, keep_days: days = null } = query;
  const named = last !== null || days !== null;
  if (query.default !== true) return named ? { last, days } : null;
  if (named) throw fieldError(["query", "default"], "Give either default=true or rules, not both");
  return standard;
}
