import type { Caller } from "../../domain/model/caller.ts";
import { quotaInForce } from "../../domain/model/quota.ts";
import type { ApiPorts } from "../ports.ts";
import { route } from "../route.ts";
import { LimitsResponse, limitsResponse } from "../schemas/limits.ts";

/** All limits of users, programs and visitors in one response. */
export const limitRoutes = [
  route({
    endpoint: "GET /capabilities/limits",
    summary: "Get all limits and rates",
    description: "With a session, also the person's quota and usage.",
    tag: "System",
    auth: "optional",
    response: { 200: LimitsResponse },
    handler: async ({ caller, ports }) => limitsResponse(ports.limitsInForce, await ownQuota(ports, caller)),
  }),
];

async function ownQuota({ store, quota }: ApiPorts, caller: Caller | null) {
  if (caller?.kind !== "session") return null;
  const { user } = caller;
  const own = quotaInForce(quota, await store.quotas.own(user.id));
  return { user, quota: own, usage: await store.quotas.usage(user.id) };
}
