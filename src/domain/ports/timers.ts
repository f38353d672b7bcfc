/** Monotonic time, independent of the wall clock. */
export interface Timers {
  /** Returns milliseconds since an arbitrary time in the past. */
  elapsed(): number;
  /** Resolves after `milliseconds`, or once the signal is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
