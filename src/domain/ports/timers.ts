/** Time that only ever goes forward, whatever happens to the wall clock. */
export interface Timers {
  /** Returns milliseconds since some moment in the past. */
  elapsed(): number;
  /** Resolves after `milliseconds`, or as soon as the signal is aborted, where there is one. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
