/** Upper bounds in seconds. A cached response takes microseconds; a deployment up to minutes. */
export const LATENCY_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60,
] as const;

/** Returns the bucket of a duration; the last one is for those above every bound. */
export function latencyBucket(seconds: number): number {
  let bucket = 0;
  while (bucket < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[bucket] as number)) bucket++;
  return bucket;
}

/**
 * Returns the seconds within which this share of the responses was completed, interpolated within its bucket; null
 * without responses. `counts` are those of each bucket, the last one for responses above every bound.
 */
export function latencyQuantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let below = 0;
  for (const [index, bound] of LATENCY_BUCKETS.entries()) {
    const count = counts[index] ?? 0;
    const lower = LATENCY_BUCKETS[index - 1] ?? 0;
    if (count > 0 && below + count >= wanted) return lower + (bound - lower) * ((wanted - below) / count);
    below += count;
  }
  // The duration of a response above the last bound is unknown.
  return LATENCY_BUCKETS.at(-1) as number;
}
