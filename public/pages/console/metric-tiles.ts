import { DAY, HOUR, SECOND } from "../../../src/domain/timestamp.ts";
import type { Metrics } from "../../api/types.ts";
import { formatBytes, formatNumber } from "../../format.ts";

/** The style of a line: with its area, without, as the second of two, for errors, or as bars. */
export type Look = "area" | "line" | "second" | "bad" | "bars";

export interface Line {
  readonly look: Look;
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** One chart with its figure. */
export interface Tile {
  readonly title: string;
  /** The figure and its unit; null if nothing was measured. */
  readonly figure: readonly [value: string, unit: string] | null;
  /** The starts of the bins, in Unix seconds. */
  readonly moments: readonly number[];
  readonly lines: readonly Line[];
  /** The top of the scale, whose bottom is 0. */
  readonly max: number;
  readonly format: (value: number) => string;
  readonly summary: string;
}

/** The period of the charts, in Unix seconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
  /** Such as `24 hours`. */
  readonly words: string;
}

/** The maximum number of points in a chart. More would only add noise. */
const MAX_BINS = 300;

/** Returns the eight charts of the console in order. Incomplete steps are omitted from counters. */
export function tilesOf(metrics: Metrics, period: Period, now: number): Tile[] {
  const read = reader(metrics, now);
  const requests = read("requests");
  const [errors, bytes, deployments] = [read("errors_5xx"), read("bytes_sent"), read("deployments")];
  const [used, free] = [read("disk_used"), read("disk_free")];
  const disk = zip(used, free, (one, other) => (100 * one) / (one + other));
  const size = zip(used, free, (one, other) => one + other);
  const moments = (metrics.series[0]?.points ?? []).map(([at]) => at);
  const tile = tileMaker(moments, metrics.step_seconds, period);
  return [
    tile("Requests", "per second", [{ look: "area", name: "Requests", values: perSecond(requests, metrics) }]),
    tile("Response time", "ms, 99th percentile", [
      { look: "line", name: "p99", values: read("latency_p99") },
      { look: "second", name: "p50", values: read("latency_p50") },
    ]),
    tile(
      "Server errors",
      "% of requests",
      [
        {
          look: "bad",
          name: "Errors",
          values: zip(errors, requests, (some, all) => (all === 0 ? 0 : (100 * some) / all)),
        },
      ],
      { percent: true, value: share(sum(errors), sum(requests)) },
    ),
    tile("Bandwidth", `Mbit/s, ${formatBytes(sum(bytes))} in all`, [
      { look: "area", name: "Bandwidth", values: perSecond(bytes, metrics).map((value) => value && (8 * value) / 1e6) },
    ]),
    tile("Disk", `% of ${formatBytes(last(size) ?? 0)} used`, [{ look: "area", name: "Disk", values: disk }], {
      percent: true,
      max: 100,
    }),
    tile("Memory", "MiB, all workers", [
      { look: "area", name: "Memory", values: read("memory_rss").map((value) => value && value / 2 ** 20) },
    ]),
    tile(
      "Cache hits",
      "% of contents",
      [{ look: "line", name: "Hits", values: read("cache_hit_ratio").map((value) => value && 100 * value) }],
      { percent: true, max: 100 },
    ),
    deploymentTile(deployments, moments, metrics.step_seconds, period),
  ];
}

/** The times at which the server restarted, in Unix seconds: those before which something was measured. */
export function restartsOf({ series, starts }: Metrics): readonly number[] {
  const requests = series.find(({ name }) => name === "requests")?.points ?? [];
  const first = requests.find(([, value]) => value !== null)?.[0];
  return first === undefined ? [] : starts.filter((at) => at > first + 60);
}

/** The share of a period without measurements from which the charts say when they began. */
const EMPTY_SHARE = 0.1;

/** Returns when the measurements of a period began, in Unix seconds; null if they fill it, and if there are none. */
export function firstMeasured({ series }: Metrics, { from, to }: Period): number | null {
  const points = series.flatMap(({ points }) => points.find(([, value]) => value !== null)?.[0] ?? []);
  const first = Math.min(...points);
  return points.length > 0 && first - from > EMPTY_SHARE * (to - from) ? first : null;
}

/** Returns the last value of a series; null if nothing was measured. */
export function lastOf(metrics: Metrics, name: string): number | null {
  return last(metrics.series.find((one) => one.name === name)?.points.map(([, value]) => value) ?? []);
}

/** The next product of 1, 2, 2.5, 5 or 10 and a power of ten, so that half of it is a short number too. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5, 10].find((step) => step * power >= value * 0.999) ?? 10);
}

// --- internal ---

type Values = readonly (number | null)[];

/** Gauges have a value in an incomplete step; counters are not complete in it. */
const COUNTS = ["requests", "errors_5xx", "bytes_sent", "deployments", "jobs_failed"];

function reader({ series, step_seconds }: Metrics, now: number) {
  return (name: string): Values => {
    const points = series.find((one) => one.name === name)?.points ?? [];
    const isWhole = (at: number) => !COUNTS.includes(name) || at + step_seconds <= now;
    return points.map(([at, value]) => (isWhole(at) ? value : null));
  };
}

interface More {
  readonly percent?: boolean;
  /** For a scale that does not depend on the values. */
  readonly max?: number;
  /** Replaces the last value. */
  readonly value?: number | null;
}

function tileMaker(moments: readonly number[], step: number, period: Period) {
  const size = Math.max(1, Math.ceil(moments.length / MAX_BINS));
  return (title: string, unit: string, fine: readonly Line[], more: More = {}): Tile => {
    const lines = fine.map((line) => ({ ...line, values: binned(line.values, size, mean) }));
    const most = Math.max(0, ...lines.flatMap(({ values }) => values).filter((value) => value !== null));
    const value = more.value === undefined ? last(fine[0]?.values ?? []) : more.value;
    const format = (one: number) => formatPrecise(one) + (more.percent ? " %" : "");
    const now = value === null ? null : formatPrecise(value);
    return {
      title,
      figure: now === null ? null : [now, unit],
      moments: moments.filter((_, index) => index % size === 0).map((at) => at + (size * step) / 2),
      lines,
      max: more.max ?? roundUp(more.percent ? Math.max(1, most) : most),
      format,
      summary:
        now === null
          ? `${title}: nothing was measured`
          : `${title} in ${period.words}: now ${now} ${unit}, at most ${formatPrecise(most)}`,
    };
  };
}

function deploymentTile(values: Values, moments: readonly number[], step: number, period: Period): Tile {
  const bar = SECOND * (period.to - period.from) > 2 * DAY ? DAY : HOUR;
  const size = Math.max(1, bar / SECOND / step);
  const sums = binned(values, size, sum);
  const isKnown = values.some((value) => value !== null);
  return {
    title: "Deployments",
    figure: isKnown ? [formatNumber(sum(values)), `in ${period.words}`] : null,
    moments: moments.filter((_, index) => index % size === 0).map((at) => at + (size * step) / 2),
    lines: [{ look: "bars", name: "Deployments", values: sums }],
    max: roundUpEven(Math.max(0, ...sums.map((value) => value ?? 0))),
    format: formatPrecise,
    summary: `Deployments: ${formatNumber(sum(values))} in ${period.words}`,
  };
}

/** The top of a scale whose half is an integer. */
function roundUpEven(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return [2, 4, 6, 8, 10, 20].map((step) => step * power).find((top) => top >= value) ?? value;
}

function perSecond(values: Values, { step_seconds }: Metrics): Values {
  return values.map((value) => value && value / step_seconds);
}

/** Merges values in groups of `size`; null where none of them was measured. */
function binned(values: Values, size: number, merge: (values: number[]) => number): Values {
  if (size === 1) return values;
  return Array.from({ length: Math.ceil(values.length / size) }, (_, bin) => {
    const some = values.slice(bin * size, (bin + 1) * size).filter((value) => value !== null);
    return some.length === 0 ? null : merge(some);
  });
}

function zip(ones: Values, others: Values, merge: (one: number, other: number) => number): Values {
  return ones.map((one, index) => {
    const other = others[index] ?? null;
    return one === null || other === null ? null : merge(one, other);
  });
}

function last(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

function sum(values: Values): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function mean(values: number[]): number {
  return sum(values) / values.length;
}

function share(some: number, all: number): number | null {
  return all === 0 ? null : (100 * some) / all;
}

/** Three significant digits: `0.07`, `4.9`, `143`. */
function formatPrecise(value: number): string {
  if (value >= 100) return formatNumber(Math.round(value));
  return String(Number(value.toFixed(value >= 10 ? 1 : 2)));
}
