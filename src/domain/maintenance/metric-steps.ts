import { STEP_MS, STEPS_KEPT, type StepCounts, type StepFigures, type StepLength } from "../model/metric-step.ts";
import { latencyQuantile } from "./latency.ts";

/** The maximum number of starts kept for one step. A server that fails in a loop starts every few seconds. */
const MAX_STARTS = 10;

/** Adds later measurements of the same step. */
export function mergeSteps(before: StepFigures, later: StepFigures): StepFigures {
  const names = Object.keys(later.counts) as (keyof StepCounts)[];
  const sums = names.map((name) => [name, (before.counts[name] ?? 0) + later.counts[name]]);
  return {
    counts: Object.fromEntries(sums) as Record<keyof StepCounts, number>,
    latency: later.latency.map((count, bucket) => count + (before.latency[bucket] ?? 0)),
    gauges: later.gauges,
    starts: [...before.starts, ...later.starts].slice(-MAX_STARTS),
  };
}

/** Returns the start of the step that contains a time. */
export function stepOf(at: number, length: StepLength): number {
  return Math.floor(at / STEP_MS[length]) * STEP_MS[length];
}

/** A part of the history. `to` is excluded. */
interface MetricWindow {
  readonly length: StepLength;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the window for a request: in minutes if they are still kept, otherwise in hours. Times that are no longer
 * kept, or in the future, are cut off.
 */
export function metricWindow(now: number, from: number, to: number): MetricWindow {
  const isRecent = from >= now - STEPS_KEPT.minute && to - from <= STEPS_KEPT.minute;
  const length = isRecent ? "minute" : "hour";
  return { length, from: stepOf(Math.max(from, now - STEPS_KEPT[length]), length), to: Math.min(to, now + 1) };
}

/** The values of one metric, null where nothing was measured. Times are the starts of steps, in seconds. */
export interface MetricSeries {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly (readonly [number, number | null])[];
}

/** Returns every series of a window. `steps` are the measured steps of the window, by their start. */
export function metricSeries(window: MetricWindow, steps: ReadonlyMap<number, StepFigures>): MetricSeries[] {
  const moments: number[] = [];
  for (let at = window.from; at < window.to; at += STEP_MS[window.length]) moments.push(at);
  return SERIES.map(({ name, unit, measure }) => ({
    name,
    unit,
    points: moments.map((at) => {
      const step = steps.get(at);
      return [at / 1000, step === undefined ? null : (measure(step) ?? null)] as const;
    }),
  }));
}

// --- internal ---

interface Series {
  readonly name: string;
  readonly unit: "count" | "milliseconds" | "bytes" | "ratio";
  measure(step: StepFigures): number | null;
}

const SERIES: readonly Series[] = [
  { name: "requests", unit: "count", measure: ({ counts }) => counts.requests },
  { name: "errors_5xx", unit: "count", measure: ({ counts }) => counts.errors5xx },
  { name: "latency_p50", unit: "milliseconds", measure: ({ latency }) => milliseconds(latencyQuantile(latency, 0.5)) },
  { name: "latency_p99", unit: "milliseconds", measure: ({ latency }) => milliseconds(latencyQuantile(latency, 0.99)) },
  { name: "bytes_sent", unit: "bytes", measure: ({ counts }) => counts.bytesSent },
  { name: "deployments", unit: "count", measure: ({ counts }) => counts.deployments },
  { name: "disk_used", unit: "bytes", measure: ({ gauges }) => gauges.diskUsed },
  { name: "disk_free", unit: "bytes", measure: ({ gauges }) => gauges.diskFree },
  { name: "content_bytes", unit: "bytes", measure: ({ gauges }) => gauges.contentBytes },
  { name: "cache_hit_ratio", unit: "ratio", measure: ({ counts }) => hitRatio(counts) },
  { name: "memory_rss", unit: "bytes", measure: ({ gauges }) => gauges.memoryRss },
  { name: "certificates", unit: "count", measure: ({ gauges }) => gauges.certificates },
  { name: "claims_connected", unit: "count", measure: ({ gauges }) => gauges.claimsConnected },
  { name: "jobs_failed", unit: "count", measure: ({ counts }) => counts.jobsFailed },
];

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1e6) / 1000;
}

function hitRatio({ cacheHits, cacheMisses }: StepCounts): number | null {
  const all = cacheHits + cacheMisses;
  return all === 0 ? null : cacheHits / all;
}
