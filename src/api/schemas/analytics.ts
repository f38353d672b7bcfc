import { Type as t } from "@sinclair/typebox";
import type { Analytics, Figures } from "../../domain/analytics/analytics.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Moment, namedSchema, orNull } from "./values.ts";

const counts = {
  views: t.Integer({ description: "Page views, without known bots" }),
  visitors: t.Integer({ description: "Unique visitors; over several days, the sum of the days" }),
  bytes: t.Integer({ description: "Bytes of all responses" }),
};
const figures = { ...counts, bot_views: t.Integer() };

const day = { views: 1290, visitors: 348, bot_views: 77, bytes: 48_213_000 };

export const AnalyticsResponse = namedSchema(
  "AnalyticsResponse",
  {
    from: t.String({ format: "date" }),
    to: t.String({ format: "date" }),
    total: t.Object(figures),
    days: t.Array(t.Object({ day: t.String({ format: "date" }), ...figures })),
    hours: t.Optional(
      t.Array(t.Object({ hour: Moment, ...counts }), {
        description: "With `interval=hour`: the last 48, those without visits and the current one included",
      }),
    ),
    pages: t.Array(t.Object({ path: t.String(), views: t.Integer() })),
    referrers: t.Array(t.Object({ host: t.String(), views: t.Integer() })),
    not_found: t.Array(t.Object({ path: t.String(), requests: t.Integer() })),
    lost_assets: t.Array(
      t.Object({
        path: t.String(),
        hits: t.Integer(),
        last_at: Moment,
        deployment_number: orNull(t.Integer(), {
          description: "The newest deployment that has the file; null if none has",
        }),
      }),
      { description: "Files that pages load or link to, which visitors asked for and got 404; without bots" },
    ),
    countries: t.Optional(
      t.Array(t.Object({ country: t.String({ description: "ISO 3166-1 alpha-2" }), views: t.Integer() }), {
        description: "Where a proxy of `--trusted-proxies` sends `CF-IPCountry`",
      }),
    ),
  },
  {
    from: "2026-11-20",
    to: "2026-11-20",
    total: day,
    days: [{ day: "2026-11-20", ...day }],
    pages: [{ path: "/", views: 820 }],
    referrers: [{ host: "news.example.com", views: 112 }],
    not_found: [{ path: "/old-page", requests: 9 }],
    lost_assets: [
      { path: "/assets/app-4f2a91c3.js", hits: 4, last_at: "2026-11-20T16:05:12.418Z", deployment_number: 2 },
    ],
  },
);

export function analyticsResponse(analytics: Analytics): typeof AnalyticsResponse.static {
  const { from, to, total, days, hours, pages, referrers, notFound, lostAssets, countries } = analytics;
  return {
    from,
    to,
    total: figuresResponse(total),
    days: days.map(({ day, ...rest }) => ({ day, ...figuresResponse(rest) })),
    ...(hours && { hours: hours.map(hourResponse) }),
    pages: pages.map(({ name, count }) => ({ path: name, views: count })),
    referrers: referrers.map(({ name, count }) => ({ host: name, views: count })),
    not_found: notFound.map(({ name, count }) => ({ path: name, requests: count })),
    lost_assets: lostAssets.map(({ path, hits, lastAt, deploymentNumber }) => {
      return { path, hits, last_at: timestamp(lastAt), deployment_number: deploymentNumber };
    }),
    ...(countries.length > 0 && { countries: countries.map(({ name, count }) => ({ country: name, views: count })) }),
  };
}

function hourResponse({ hour, views, visitors, bytes }: Figures & { readonly hour: number }) {
  return { hour: timestamp(hour), views, visitors, bytes };
}

function figuresResponse({ views, visitors, botViews, bytes }: Figures) {
  return { views, visitors, bot_views: botViews, bytes };
}
