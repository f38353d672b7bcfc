import { Type as t } from "@sinclair/typebox";
import { siteAnalytics } from "../../domain/analytics/analytics.ts";
import { route } from "../route.ts";
import { AnalyticsResponse, analyticsResponse } from "../schemas/analytics.ts";

/** The domain validates the day: the format would also accept `2026-02-30`. */
const day = (description: string) =>
  t.Optional(t.Unsafe<string>(t.Any({ type: "string", format: "date", description })));

export const analyticsRoutes = [
  route({
    method: "GET",
    path: "/sites/:name/analytics",
    summary: "Get a site's analytics by day",
    description: "Counted on the server, without cookies or stored addresses. Numbers are at most ten seconds old.",
    tag: "Deploy and sites",
    auth: "owner",
    query: {
      from: day("First day, YYYY-MM-DD in UTC; by default 29 days before the last"),
      to: day("Last day, YYYY-MM-DD in UTC; by default today"),
    },
    response: { 200: AnalyticsResponse },
    handler: async ({ caller, params, query, ports }) => {
      const days = { from: query.from ?? null, to: query.to ?? null };
      return analyticsResponse(await siteAnalytics(ports, caller, params.name, days));
    },
  }),
];
