/**
 * Limits frequent operations per subject, without storing them: a bucket with as many tokens as a rate allows,
 * which refills within the rate's window. All threads of the process share the buckets.
 */
export interface Throttle {
  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(subject: string): number;
}
