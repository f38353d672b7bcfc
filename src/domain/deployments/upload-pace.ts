import { DomainError } from "../errors.ts";
import type { Timers } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";

/** Long enough for a line that breaks off for a while. */
export const PACE_WINDOW_MS = 30 * SECOND;

interface Pace {
  /** Counts bytes that came. */
  came(bytes: number): void;
  /** Ends the watch. */
  stop(): void;
}

/**
 * Watches how fast an upload comes: it holds a place, and space in the spool. Calls `tooSlow` with the refusal, once, when
 * fewer bytes a second came over a whole window; `minRate` null lets it take any time.
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
    came(more) {
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
