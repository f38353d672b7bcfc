import type { Timers } from "../../domain/ports/timers.ts";

/** The process's monotonic clock. Waiting does not keep the process running. */
export const systemTimers: Timers = {
  elapsed: () => performance.now(),
  wait(milliseconds, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      timer.unref();
      signal?.addEventListener("abort", end);
    });
  },
};
