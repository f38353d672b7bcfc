import { Type as t } from "@sinclair/typebox";
import {
  findSiteRetention,
  pinDeployment,
  previewSiteRetention,
  setSiteRetention,
} from "../../domain/deployments/retention.ts";
import { fieldError } from "../../domain/errors.ts";
import { MAX_KEPT, type RetentionPolicy } from "../../domain/model/retention.ts";
import { DAY } from "../../domain/timestamp.ts";
import { route } from "../route.ts";
import { deploymentOf } from "../schemas/deployments.ts";
import { deploymentNumber } from "../schemas/params.ts";
import {
  DeploymentPinResponse,
  graceDays,
  RetentionPolicyRequest,
  RetentionPreviewResponse,
  RetentionResponse,
  retentionPreviewResponse,
  retentionResponse,
} from "../schemas/retention.ts";

const common = { tag: "Retention", auth: "site" } as const;
const pinErrors = { 404: "site or deployment does not exist" };

const rule = t.Optional(t.Integer({ minimum: 1, maximum: MAX_KEPT }));

export const retentionRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/retention",
    operation: "read_retention",
    summary: "Get a site's retention policy",
    response: { 200: RetentionResponse },
    handler: async ({ caller, params, ports }) =>
      retentionResponse(await findSiteRetention(ports, caller, params.name)),
  }),

  route({
    ...common,
    endpoint: "PUT /sites/:name/retention",
    operation: "manage_retention",
    summary: "Set a site's retention policy",
    description:
      "Deployments that it does not keep are deleted within an hour. The active one, the one before it, pinned ones and " +
      "those that were active within the grace period always stay.",
    body: RetentionPolicyRequest,
    response: { 200: RetentionResponse },
    audit: "Changed the retention policy",
    handler: async ({ caller, params, body, ports }) => {
      const { keep_last: last, keep_days: days, grace_days: graceDays } = body;
      const policy = { last, days, ...(graceDays === undefined ? {} : { graceDays }) };
      return retentionResponse(await setSiteRetention(ports, caller, params.name, policy));
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/retention",
    operation: "manage_retention",
    summary: "Reset a site's retention policy to the server default",
    audit: "Reset retention to the server default",
    handler: async ({ caller, params, ports }) => {
      await setSiteRetention(ports, caller, params.name, null);
    },
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/retention/preview",
    operation: "read_retention",
    summary: "Preview what a retention policy deletes",
    description:
      "Deletes nothing. Without a rule in the query it previews the policy in force, with `default=true` the " +
      "server's, to which the site would go back. Without `grace_days` the grace period is the one in force.",
    query: {
      keep_last: rule,
      keep_days: rule,
      grace_days: t.Optional(graceDays),
      default: t.Optional(t.Boolean({ description: "Preview the server default; cannot be combined with a rule" })),
    },
    response: { 200: RetentionPreviewResponse },
    handler: async ({ caller, params, query, ports }) => {
      const requested = requestedPolicy(query, ports.retention);
      return retentionPreviewResponse(await previewSiteRetention(ports, caller, params.name, requested));
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/deployments/:deployment_number/pin",
    operation: "manage_retention",
    summary: "Pin a deployment",
    description: "A pinned deployment is kept regardless of the retention policy.",
    params: { deployment_number: deploymentNumber },
    response: { 200: DeploymentPinResponse },
    errors: pinErrors,
    audit: (subject) => `Pinned ${deploymentOf(subject)}`,
    handler: async ({ caller, params: { name, deployment_number }, ports }) => {
      await pinDeployment(ports, caller, name, deployment_number, true);
      return { deployment_number, pinned: true };
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/deployments/:deployment_number/pin",
    operation: "manage_retention",
    summary: "Unpin a deployment",
    params: { deployment_number: deploymentNumber },
    errors: pinErrors,
    audit: (subject) => `Unpinned ${deploymentOf(subject)}`,
    handler: ({ caller, params, ports }) => pinDeployment(ports, caller, params.name, params.deployment_number, false),
  }),
];

// --- internal ---

interface RequestedPolicy {
  readonly keep_last?: number;
  readonly keep_days?: number;
  readonly grace_days?: number;
  readonly default?: boolean;
}

/** Returns the policy in a query; what it lacks is as in the effective one. */
function requestedPolicy(query: RequestedPolicy, standard: RetentionPolicy): Partial<RetentionPolicy> {
  const { keep_last: last = null, keep_days: days = null, grace_days: graceDays } = query;
  const kept = last === null && days === null ? {} : { last, days };
  const requested = graceDays === undefined ? kept : { ...kept, graceMs: graceDays * DAY };
  if (query.default !== true) return requested;
  if (Object.keys(requested).length > 0)
    throw fieldError(["query", "default"], "Give either default=true or rules, not both");
  return standard;
}
