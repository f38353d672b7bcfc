import type { Log } from "../domain/ports/log.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Rotations are batched: each one costs a new listener in every thread, and the contexts of the old until it is idle. */
const MIN_INTERVAL = 2 * SECOND;

export interface PresentPorts {
  /** What `wanted` said before the listeners loaded their first set. */
  readonly loaded: string;
  /** Names what should be presented now; another text whenever that changes. */
  wanted(): Promise<string>;
  /** Says in one sentence why that cannot be presented; null where it can. */
  unusable(): string | null;
  /** Makes every listener present it. */
  present(): Promise<void>;
  readonly timers: Timers;
  readonly log: Pick<Log, "warn">;
}

/**
 * Brings new certificates to the listeners: at once, or two seconds after the last time. What is unusable, as a
 * certificate is whose key is still to come, is told and waits for its next change.
 */
export function presentCertificatesJob({ loaded, wanted, unusable, present, timers, log }: PresentPorts): Job {
  let settled = loaded;
  let lastTime = Number.NEGATIVE_INFINITY;
  return {
    name: "present-certificates",
    scope: "node",
    every: SECOND,
    timeLimit: MINUTE,
    async run() {
      const now = await wanted();
      if (now === settled || timers.elapsed() - lastTime < MIN_INTERVAL) return;
      lastTime = timers.elapsed();
      const reason = unusable();
      if (reason === null) await present();
      else log.warn("the new certificate is not presented until it changes", { reason });
      settled = now;
    },
  };
}
