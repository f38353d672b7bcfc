import { describe, expect, test } from "bun:test";
import type { StepFigures } from "../model/metric-step.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";
import { LATENCY_BUCKETS, latencyQuantile } from "./latency.ts";
import { mergeSteps, metricSeries, metricWindow } from "./metric-steps.ts";

const NOW = Date.UTC(2026, 10, 22, 22, 0, 30);

const gauges = { diskUsed: 1, diskFree: 2, contentBytes: 3, memoryRss: 4, certificates: 5, claimsConnected: 6 };
const counts = {
  requests: 10,
  errors5xx: 1,
  bytesSent: 100,
  deployments: 2,
  cacheHits: 3,
  cacheMisses: 1,
  jobsFailed: 0,
};
const figures: StepFigures = { counts, latency: [8, 2], gauges, starts: [] };

test.each<[string, number, number, ReturnType<typeof metricWindow>]>([
  ["the last 24 hours", NOW - DAY, NOW, { length: "minute", from: NOW - 30_000 - DAY, to: NOW }],
  ["the same by a clock that is a minute behind", NOW - DAY - MINUTE, NOW - MINUTE, { length: "minute" } as never],
  ["30 days", NOW - 30 * DAY, NOW, { length: "hour", from: Date.UTC(2026, 9, 23, 22), to: NOW }],
  ["an hour of last week", NOW - 7 * DAY, NOW - 7 * DAY + HOUR, { length: "hour" } as never],
  ["a year, of which 30 days are kept", 0, NOW, { length: "hour", from: Date.UTC(2026, 9, 23, 21) } as never],
  ["a window in the future", NOW, NOW + DAY, { length: "minute", to: NOW + 1 } as never],
])("%s has the smallest step that is kept", (_, from, to, window) => {
  expect(metricWindow(NOW, from, to)).toMatchObject(window);
});

test("counters within a step are added up, and gauges have their last value", () => {
  const later = { ...figures, latency: [0, 1], gauges: { ...gauges, diskUsed: 9 }, starts: [NOW] };
  expect(mergeSteps(figures, later)).toEqual({
    counts: {
      requests: 20,
      errors5xx: 2,
      bytesSent: 200,
      deployments: 4,
      cacheHits: 6,
      cacheMisses: 2,
      jobsFailed: 0,
    },
    latency: [8, 3],
    gauges: { ...gauges, diskUsed: 9 },
    starts: [NOW],
  });
});

test("a step in which the server restarts repeatedly keeps the last ten starts", () => {
  const many = Array.from({ length: 12 }, (_, at) => at);
  expect(mergeSteps({ ...figures, starts: many }, { ...figures, starts: [12] }).starts).toEqual(
    many.slice(3).concat(12),
  );
});

describe("the series", () => {
  const from = NOW - 30_000;
  const window = { length: "minute", from, to: from + 3 * MINUTE } as const;
  const series = metricSeries(window, new Map([[from + MINUTE, figures]]));
  const pointsOf = (name: string) => series.find((one) => one.name === name)?.points;

  test("have the names in the API", () => {
    expect(series.map(({ name }) => name).join(" ")).toBe(
      "requests errors_5xx latency_p50 latency_p99 bytes_sent deployments disk_used disk_free content_bytes cache_hit_ratio memory_rss certificates claims_connected jobs_failed",
    );
  });

  test("have a point for each step, null if nothing was measured", () => {
    const second = from / 1000;
    expect(pointsOf("requests")).toEqual([
      [second, null],
      [second + 60, 10],
      [second + 120, null],
    ]);
    expect(pointsOf("cache_hit_ratio")?.[1]).toEqual([second + 60, 0.75]);
    expect(pointsOf("disk_free")?.[1]).toEqual([second + 60, 2]);
    expect(pointsOf("latency_p50")?.[1]).toEqual([second + 60, 0.313]);
  });

  test("are null if there is nothing to measure", () => {
    const quiet = { ...figures, counts: { ...counts, cacheHits: 0, cacheMisses: 0 }, latency: [0, 0] };
    const nothing = metricSeries(window, new Map([[from, quiet]]));
    const first = (name: string) => nothing.find((one) => one.name === name)?.points[0]?.[1];
    expect([first("cache_hit_ratio"), first("latency_p50"), first("requests")]).toEqual([null, null, 10]);
  });
});

test.each<[string, number[], number, number | null]>([
  ["no response", [], 0.5, null],
  ["all in the first bucket", [4], 0.5, 0.00025],
  ["half of them in each of two", [2, 2], 0.5, 0.0005],
  ["a slow one among a hundred", [98, 0, 2], 0.99, 0.00175],
  ["longer than every bound", [...LATENCY_BUCKETS.map(() => 0), 3], 0.99, 60],
])("the latency buckets for %s", (_, buckets, share, seconds) => {
  const found = latencyQuantile(buckets, share);
  if (seconds === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(seconds, 9);
});
