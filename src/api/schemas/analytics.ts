import { Type as t } from "@sinclair/typebox";
import type { Analytics, Figures } from "../../domain/analytics/analytics.ts";

const figures = {
  views: t.Integer({ description: "Page views, without known bots" }),
  visitors: t.Integer({ description: "Unique visitors; over several days, the sum of the days" }),
  bot_views: t.Integer(),
  bytes: t.Integer({ description: "Bytes of all responses" }),
};

const day = { views: 1290, visitors: 348, bot_views: 77, bytes: 48_213_000 };

export const AnalyticsResponse = t.Object(
  {
    from: t.String({ format: "date" }),
    to: t.String({ format: "date" }),
    total: t.Object(figures),
    days: t.Array(t.Object({ day: t.String({ format: "date" }), ...figures })),
    pages: t.Array(t.Object({ path: t.String(), views: t.Integer() })),
    referrers: t.Array(t.Object({ host: t.String(), views: t.Integer() })),
    not_found: t.Array(t.Object({ path: t.String(), requests: t.Integer() })),
  },
  {
    title: "AnalyticsResponse",
    examples: [
      {
        from: "2026-11-20",
        to: "2026-11-20",
        total: day,
        days: [{ day: "2026-11-20", ...day }],
        pages: [{ path: "/", views: 820 }],
        referrers: [{ host: "news.example.com", views: 112 }],
        not_found: [{ path: "/old-page", requests: 9 }],
      },
    ],
  },
);

export function analyticsResponse(analytics: Analytics): typeof AnalyticsResponse.static {
  const { from, to, total, days, pages, referrers, notFound } = analytics;
  return {
    from,
    to,
    total: figuresResponse(total),
    days: days.map(({ day, ...rest }) => ({ day, ...figuresResponse(rest) })),
    pages: pages.map(({ name, count }) => ({ path: name, views: count })),
    referrers: referrers.map(({ name, count }) => ({ host: name, views: count })),
    not_found: notFound.map(({ name, count }) => ({ path: name, requests: count })),
  };
}

function figuresResponse({ views, visitors, botViews, bytes }: Figures) {
  return { views, visitors, bot_views: botViews, bytes };
}
