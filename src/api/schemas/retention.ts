import { Type as t } from "@sinclair/typebox";
import type { RetentionPreview, SiteRetention } from "../../domain/deployments/retention.ts";
import {
  MAX_GRACE_DAYS,
  MAX_KEPT,
  type OwnRetentionPolicy,
  type RetentionPolicy,
} from "../../domain/model/retention.ts";
import { DAY } from "../../domain/timestamp.ts";
import { namedSchema, orNull } from "./values.ts";

const rule = (description: string) => orNull(t.Integer({ minimum: 1, maximum: MAX_KEPT }), { description });

const rules = {
  keep_last: rule("The newest so many stay; null for no such rule"),
  keep_days: rule("Those that were made or active within so many days stay; null for no such rule"),
};

/** A number of days that a site may set. */
export const graceDays = t.Integer({
  minimum: 0,
  maximum: MAX_GRACE_DAYS,
  description: "Days for which fingerprinted files of a replaced deployment are still served; it is kept as long",
});

const OwnPolicy = t.Object({
  ...rules,
  grace_days: orNull(graceDays, { description: "Null where the server's grace period holds" }),
});

const Policy = t.Object({
  ...rules,
  grace_days: t.Number({
    description: "Days for which fingerprinted files of a replaced deployment are still served; it is kept as long",
  }),
});

export const RetentionPolicyRequest = t.Object(
  {
    ...rules,
    grace_days: t.Optional(
      orNull(graceDays, { description: "The grace period; null for the server's; left out, it stays as it is" }),
    ),
  },
  {
    title: "RetentionPolicyRequest",
    description: "A deployment is kept when either rule keeps it; without rules, all are",
    examples: [{ keep_last: 20, keep_days: null, grace_days: 30 }],
  },
);

export const RetentionResponse = namedSchema(
  "RetentionResponse",
  {
    policy: orNull(OwnPolicy, { description: "The site's own policy; null where the server default holds" }),
    effective: Policy,
    pinned: t.Array(t.Integer(), { description: "Numbers of pinned deployments, which are always kept" }),
  },
  {
    policy: { keep_last: 20, keep_days: null, grace_days: null },
    effective: { keep_last: 20, keep_days: null, grace_days: 7 },
    pinned: [3],
  },
);

export const RetentionPreviewResponse = namedSchema(
  "RetentionPreviewResponse",
  {
    policy: Policy,
    deployments: t.Array(t.Integer(), { description: "Numbers of the deployments that are deleted" }),
    bytes: t.Integer({ description: "Storage that is freed: files that nothing else refers to" }),
  },
  { policy: { keep_last: 20, keep_days: null, grace_days: 7 }, deployments: [1, 2, 4], bytes: 1_048_576 },
);

export const DeploymentPinResponse = namedSchema(
  "DeploymentPinResponse",
  { deployment_number: t.Integer(), pinned: t.Boolean() },
  { deployment_number: 3, pinned: true },
);

export function retentionResponse({ own, effective, pinned }: SiteRetention): typeof RetentionResponse.static {
  return { policy: own && asOwnPolicy(own), effective: asPolicy(effective), pinned: [...pinned] };
}

export function retentionPreviewResponse({
  policy,
  numbers,
  bytes,
}: RetentionPreview): typeof RetentionPreviewResponse.static {
  return { policy: asPolicy(policy), deployments: [...numbers], bytes };
}

function asOwnPolicy({ last, days, graceDays }: OwnRetentionPolicy): typeof OwnPolicy.static {
  return { keep_last: last, keep_days: days, grace_days: graceDays };
}

function asPolicy({ last, days, graceMs }: RetentionPolicy): typeof Policy.static {
  return { keep_last: last, keep_days: days, grace_days: graceMs / DAY };
}
