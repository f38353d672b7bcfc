/** Monotonic time, independent of the wall clock. */
export interface Timers {
  /** Returns milliseconds since an arbitrary time in the past. */
  elapsed(): number;
  /** Resolves after `milliseconds`, or once the signal is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Runs `work` with a signal that is aborted after the time limit, or by `stop`. */
export async function withDeadline<T>(
  timers: Timers,
  milliseconds: number,
  stop: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const done = new AbortController();
  void timers.wait(milliseconds, done.signal).then(() => limit.abort());
  try {
    return await work(stop ? AbortSignal.any([stop, limit.signal]) : limit.signal);
  } finally {
    done.abort();
  }
}
