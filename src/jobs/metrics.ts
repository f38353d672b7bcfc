import type { StepCounts, StepGauges } from "../domain/model/metric-step.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock } from "../domain/ports/system.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** A crash loses at most this much, and the current minute is shown with this delay. */
const SAMPLE_INTERVAL = 15 * SECOND;

/** The process's counters since its start, except for deployments, which the store counts. */
export interface Counters {
  readonly counts: Omit<StepCounts, "deployments">;
  /** Responses by bucket of `LATENCY_BUCKETS`. */
  readonly latency: readonly number[];
}

interface MetricSources {
  readonly store: Pick<Store, "metrics">;
  readonly clock: Clock;
  counters(): Counters;
  /** May take some milliseconds. */
  gauges(): Promise<StepGauges>;
}

/** Samples the metrics into the history that operators see. */
export interface MetricSampler {
  readonly job: Job;
  /** Adds the counts since the last sample, when the server stops. */
  flush(): Promise<void>;
}

/** Created at the start of the server, which is recorded with the first sample. */
export function metricSampler({ store, clock, counters, gauges }: MetricSources): MetricSampler {
  let starts: readonly number[] = [clock.now()];
  let last = NOTHING;
  let deployments = 0;
  let kept: { readonly minute: number; readonly gauges: StepGauges } | null = null;

  /** Counting the contents of a large store takes so long that it is done once a minute only. */
  const currentGauges = async (now: number) => {
    const minute = Math.floor(now / MINUTE);
    if (kept?.minute !== minute) kept = { minute, gauges: await gauges() };
    return kept.gauges;
  };
  const sample = async () => {
    const now = clock.now();
    const seen = counters();
    const latency = seen.latency.map((count, bucket) => count - (last.latency[bucket] ?? 0));
    deployments += await store.metrics.countNewDeployments();
    const counts = { ...difference(seen.counts, last.counts), deployments };
    await store.metrics.add(now, { counts, latency, gauges: await currentGauges(now), starts });
    // After an error the next sample includes all of it.
    last = seen;
    deployments = 0;
    starts = [];
  };
  return {
    job: {
      name: "metrics",
      title: "Measure the server",
      scope: "node",
      every: SAMPLE_INTERVAL,
      timeLimit: MINUTE,
      run: sample,
    },
    flush: sample,
  };
}

// --- internal ---

type Counts = Counters["counts"];

const NOTHING: Counters = {
  counts: { requests: 0, errors5xx: 0, bytesSent: 0, cacheHits: 0, cacheMisses: 0, jobsFailed: 0 },
  latency: [],
};

function difference(counts: Counts, before: Counts): Counts {
  const names = Object.keys(counts) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, counts[name] - before[name]])) as Record<keyof Counts, number>;
}
