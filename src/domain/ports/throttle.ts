/**
 * Limits how often each subject does what happens too often to be written down: a bucket of as many as a rate allows,
 * which fills again within the rate's window. All threads of the process share the buckets.
 */
export interface Throttle {
  /** Takes one from the subject's bucket and returns 0, or takes nothing and returns the milliseconds until there is one. */
  take(subject: string): number;
}
