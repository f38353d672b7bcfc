import { DomainError } from "../errors.ts";
import type { Timers } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";

/** Long enough for a connection that stalls for a while. */
export const PACE_WINDOW_MS = 30 * SECOND;

interface Pace {
  /** Counts received bytes. */
  received(bytes: number): void;
  /** Stops the measurement. */
  stop(): void;
}

/**
 * Measures the speed of an upload, because a slow one occupies an upload slot and spool space. Calls `tooSlow` once if
 * the rate over a whole window is below `minRate`; null for no minimum.
 */
export function watchPace(
  timers: Pick<Timers, "wait">,
  minRate: number | null,
  tooSlow: (refusal: DomainError) => void,
): Pace {
  const over = new AbortController();
  let bytes = 0;
  const watch = async (rate: number) => {
    for (;;) {
      await timers.wait(PACE_WINDOW_MS, over.signal);
      if (over.signal.aborted) return;
      if (bytes < (rate * PACE_WINDOW_MS) / SECOND) return tooSlow(uploadTooSlow(rate));
      bytes = 0;
    }
  };
  if (minRate !== null) void watch(minRate);
  return {
    received(more) {
      bytes += more;
    },
    stop: () => over.abort(),
  };
}

function uploadTooSlow(rate: number): DomainError {
  const seconds = PACE_WINDOW_MS / SECOND;
  return new DomainError(
    "request_timeout",
    `the upload is too slow: fewer than ${rate} bytes a second came over ${seconds} seconds; nothing was published`,
  );
}
