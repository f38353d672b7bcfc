import { Elysia } from "elysia";
import type { Caller } from "../../domain/accounts/caller.ts";
import { quotaInForce } from "../../domain/accounts/quota.ts";
import { callerIfAny } from "../authenticate.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { LimitsResponse, limitsResponse } from "../schemas/limits.ts";

/** Everything that limits people, programs and visitors, in one place. */
export function limitRoutes(ports: ApiPorts) {
  return new Elysia().get(
    "/capabilities/limits",
    async ({ request }) => limitsResponse(ports.limitsInForce, await ownRoom(ports, await callerIfAny(ports, request))),
    {
      response: { 200: LimitsResponse },
      detail: describe({
        summary: "Get all limits and rates",
        description: "With a session, also the person's quota and usage.",
        tags: ["System"],
        credential: null,
        errors: { 429: "too many calls with this credential: slow down" },
      }),
    },
  );
}

async function ownRoom({ store, quota }: ApiPorts, caller: Caller | null) {
  if (caller?.kind !== "session") return null;
  const { user } = caller;
  const own = quotaInForce(quota, await store.quotas.own(user.id));
  return { user, quota: own, usage: await store.quotas.usage(user.id) };
}
