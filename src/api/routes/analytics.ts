import { Elysia, t } from "elysia";
import { siteAnalytics } from "../../domain/analytics/analytics.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { AnalyticsResponse, analyticsResponse } from "../schemas/analytics.ts";
import { siteParams } from "../schemas/params.ts";

/** The domain judges what a day is: a string of this format would be made a moment of, and back, on its way there. */
const day = (description: string) =>
  t.Optional(t.Unsafe<string>(t.Any({ type: "string", format: "date", description })));

export function analyticsRoutes(ports: ApiPorts) {
  return new Elysia().use(authenticated(ports)).get(
    "/sites/:name/analytics",
    async ({ caller, params, query }) => {
      const days = { from: query.from ?? null, to: query.to ?? null };
      return analyticsResponse(await siteAnalytics(ports, caller, params.name, days));
    },
    {
      params: siteParams,
      query: t.Object({
        from: day("First day, YYYY-MM-DD in UTC; by default 29 days before the last"),
        to: day("Last day, YYYY-MM-DD in UTC; by default today"),
      }),
      response: { 200: AnalyticsResponse },
      detail: describe({
        summary: "Get a site's analytics by day",
        description: "Counted on the server, without cookies or stored addresses. Numbers are at most ten seconds old.",
        tags: ["Deploy and sites"],
        errors: OWNED_SITE,
      }),
    },
  );
}
