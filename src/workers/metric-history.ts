import type { PresentedCertificate } from "../domain/model/certificate.ts";
import type { StepGauges } from "../domain/model/metric-step.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock } from "../domain/ports/system.ts";
import { type Counters, type MetricSampler, metricSampler } from "../jobs/metrics.ts";
import { type MeterSlots, readMeters } from "../serving/metrics.ts";
import { diskSpace } from "../storage/disk/disk-space.ts";
import type { DataFolder } from "../storage/folder/data-folder.ts";

interface HistoryParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly folder: DataFolder;
  readonly certificates: { presented(): readonly PresentedCertificate[] };
  readonly meters: readonly MeterSlots[];
  /** Returns the number of failed runs of jobs since the start. */
  readonly failedJobs: () => number;
}

/** Returns the sampler of the counters of all threads and the state of the process for the history of the metrics. */
export function sampleMetrics(parts: HistoryParts): MetricSampler {
  const { store, clock, meters, failedJobs } = parts;
  return metricSampler({
    store,
    clock,
    counters: () => countersOf(meters, failedJobs()),
    gauges: () => gaugesOf(parts),
  });
}

// --- internal ---

function countersOf(meters: readonly MeterSlots[], jobsFailed: number): Counters {
  const { parts, bytes, hits, misses } = readMeters(meters);
  const statuses = sums(parts.map((part) => part.statuses));
  return {
    counts: {
      requests: statuses.reduce((total, count) => total + count, 0),
      errors5xx: statuses[4] ?? 0,
      bytesSent: bytes,
      cacheHits: hits,
      cacheMisses: misses,
      jobsFailed,
    },
    latency: sums(parts.map((part) => part.buckets)),
  };
}

async function gaugesOf({ store, folder, certificates }: HistoryParts): Promise<StepGauges> {
  const { contentBytes, claims } = await store.figures();
  const { total, free } = diskSpace(folder.root);
  const connected = claims.filter(({ route }) => route === "routed");
  return {
    diskUsed: total - free,
    diskFree: free,
    contentBytes,
    memoryRss: process.memoryUsage.rss(),
    certificates: certificates.presented().length,
    claimsConnected: connected.reduce((count, claim) => count + claim.count, 0),
  };
}

/** Adds up the rows, column by column. */
function sums(rows: readonly (readonly number[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => rows.reduce((total, row) => total + (row[column] ?? 0), 0));
}
