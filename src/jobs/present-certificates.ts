import type { Log } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Rotations are batched: each needs a new listener in every thread while the old ones drain. */
const MIN_INTERVAL = 2 * SECOND;

export interface PresentPorts {
  /** The result of `wanted` before the listeners loaded their first set. */
  readonly loaded: string;
  /** Returns an identifier of the current certificates, which changes with them. */
  wanted(): Promise<string>;
  /** Returns why they cannot be presented; null if they can. */
  unusable(): string | null;

  present(): Promise<void>;
  readonly timers: Timers;
  readonly log: Pick<Log, "warn">;
}

/**
 * Rotates the listeners when the certificates change, at most every two seconds. Unusable certificates, such as a
 * new certificate whose key is not written yet, are logged and wait for the next change.
 */
export function presentCertificatesJob({ loaded, wanted, unusable, present, timers, log }: PresentPorts): Job {
  let settled = loaded;
  let lastTime = Number.NEGATIVE_INFINITY;
  return {
    name: "present-certificates",
    title: "Present new certificates",
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
