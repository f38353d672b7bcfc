import { Type as t } from "@sinclair/typebox";
import { INTERVALS, siteAnalytics } from "../../domain/analytics/analytics.ts";
import { analyticsCsv, csvResponse, FORMATS, prefersCsv } from "../csv.ts";
import { route } from "../route.ts";
import { AnalyticsResponse, analyticsResponse } from "../schemas/analytics.ts";
import { oneOf } from "../schemas/values.ts";

/** The domain validates the day: the format would also accept `2026-02-30`. */
const day = (description: string) =>
  t.Optional(t.Unsafe<string>(t.Any({ type: "string", format: "date", description })));

export const analyticsRoutes = [
  route({
    endpoint: "GET /sites/:name/analytics",
    summary: "Get a site's analytics by day or by hour",
    description:
      "Counted on the server, without cookies or stored addresses. Numbers are at most ten seconds old. " +
      "`interval=hour` adds the last 48 hours; `total` is then theirs, and the lists are of the days that they are of. " +
      "With `?format=csv` or `Accept: text/csv` all figures and lists are sent as CSV.",
    tag: "Deploy and sites",
    auth: "site",
    operation: "read_analytics",
    query: {
      from: day("First day, YYYY-MM-DD in UTC; by default 29 days before the last"),
      to: day("Last day, YYYY-MM-DD in UTC; by default today"),
      interval: t.Optional(oneOf(INTERVALS, { description: "`hour` for the last 48 hours, without `from` and `to`" })),
      format: t.Optional(oneOf(FORMATS)),
    },
    response: { 200: AnalyticsResponse },
    alternative: "text/csv",
    handler: async ({ caller, params: { name }, query, request, ports }) => {
      const { from = null, to = null, interval = "day", format } = query;
      const analytics = analyticsResponse(await siteAnalytics(ports, caller, name, { from, to, interval }));
      if (!prefersCsv(request, format)) return analytics;
      const file = `${name}-${analytics.from}-${analytics.to}.csv`;
      return csvResponse(file, analyticsCsv(analytics), ports.report);
    },
  }),
];
