import { expect, test } from "bun:test";
import type { Metrics } from "../../api/types.ts";
import { firstMeasured, lastOf, restartsOf, roundUp, tilesOf } from "./metric-tiles.ts";

const START = 1_763_568_000;
const NOW = START + 4 * 60 + 30;

/** Five minutes, of which the second was not measured and the last is incomplete. */
function metrics(values: Partial<Record<string, (number | null)[]>>, starts: number[] = []): Metrics {
  const names = ["requests", "errors_5xx", "latency_p50", "latency_p99", "bytes_sent", "deployments", "disk_used"];
  return {
    step_seconds: 60,
    starts,
    series: [...names, "disk_free", "memory_rss", "cache_hit_ratio"].map((name) => ({
      name,
      unit: "",
      points: [0, 1, 2, 3, 4].map((minute) => [START + 60 * minute, values[name]?.[minute] ?? null]),
    })),
  };
}

const tiles = (values: Parameters<typeof metrics>[0]) =>
  tilesOf(metrics(values), { from: START, to: NOW, words: "24 hours" }, NOW);
const tile = (values: Parameters<typeof metrics>[0], title: string) =>
  tiles(values).find((one) => one.title === title)!;

test("rates are per second, gaps stay gaps, and an incomplete minute is omitted", () => {
  const { figure, lines, max } = tile({ requests: [600, null, 1200, 8580, 5] }, "Requests");
  expect(figure).toEqual(["143", "per second"]);
  expect(lines[0]?.values).toEqual([10, null, 20, 143, null]);
  expect(max).toBe(200);
});

test.each<[string, Parameters<typeof metrics>[0], string, string | undefined]>([
  [
    "errors are a share of the requests of the whole period",
    { requests: [900, null, 100], errors_5xx: [0, null, 1] },
    "Server errors",
    "0.1",
  ],
  ["the disk shows its used share", { disk_used: [30], disk_free: [70] }, "Disk", "30"],
  ["memory is in MiB", { memory_rss: [null, 292 * 2 ** 20] }, "Memory", "292"],
  ["what is sent is in megabits", { bytes_sent: [60_000_000] }, "Bandwidth", "8"],
  ["deployments are counted", { deployments: [2, null, 0, 3, 7] }, "Deployments", "5"],
  ["nothing is no figure", {}, "Cache hits", undefined],
])("%s", (_, values, title, figure) => {
  expect(tile(values, title).figure?.[0]).toBe(figure as string);
});

test("on a phone, a tile has room for the text beside the largest figure", () => {
  const most = { bytes_sent: [1023 * 2 ** 30], disk_used: [1023 * 2 ** 40], disk_free: [0], deployments: [99_999] };
  for (const { figure } of tiles(most)) expect(figure?.[1].length ?? 0).toBeLessThanOrEqual(25);
});

test("charts that have just begun say since when there are measurements", () => {
  const of = (requests: (number | null)[], hours: number) =>
    firstMeasured(metrics({ requests }), { from: START - 3600 * hours, to: NOW, words: "" });
  expect(of([null, 5], 24)).toBe(START + 60);
  expect(of([5], 0)).toBeNull();
  expect(of([null, null], 24)).toBeNull();
});

test("the response time has a second line", () => {
  const { lines } = tile({ latency_p99: [4.9], latency_p50: [0.8] }, "Response time");
  expect(lines.map(({ name, values }) => [name, values[0]])).toEqual([
    ["p99", 4.9],
    ["p50", 0.8],
  ]);
});

test("a day of minutes is merged into bins, and the bars into hours", () => {
  const points = Array.from({ length: 1440 }, (_, minute): [number, number] => [
    START + 60 * minute,
    minute % 60 === 0 ? 60 : 0,
  ]);
  const series = metrics({}).series.map((one) => ({ ...one, points }));
  const end = START + 86_400;
  const [requests, ...others] = tilesOf(
    { step_seconds: 60, starts: [], series },
    { from: START, to: end, words: "" },
    end,
  );
  expect([requests?.moments.length, requests?.lines[0]?.values.slice(0, 2)]).toEqual([288, [0.2, 0]]);
  expect(others.at(-1)?.lines[0]?.values).toEqual(Array.from({ length: 24 }, () => 60));
});

test("a start is a restart if something was measured before", () => {
  const restarted = metrics({ requests: [1, null, 1, 1, 1] }, [START + 5, START + 130]);
  expect(restartsOf(restarted)).toEqual([START + 130]);
  expect(lastOf(restarted, "requests")).toBe(1);
  expect(restartsOf(metrics({}, [START + 130]))).toEqual([]);
});

test.each([
  [0, 1],
  [0.07, 0.1],
  [4.9, 5],
  [143, 200],
  [201, 250],
  [497, 500],
  [501, 1000],
])("a scale for %d ends at %d", (value, top) => {
  expect(roundUp(value)).toBeCloseTo(top, 9);
});
