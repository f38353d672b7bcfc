import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Rotations are batched: each one costs a new listener in every thread, and the contexts of the old until it is idle. */
const MIN_INTERVAL = 2 * SECOND;

export interface PresentPorts {
  /** Names what should be presented now; another text whenever that changes. Throws where it cannot be read. */
  wanted(): string;
  /** Makes every listener present it. */
  present(): Promise<void>;
  readonly timers: Timers;
}

/** Brings new certificates to the listeners: at once, or two seconds after the last time. */
export function presentCertificatesJob({ wanted, present, timers }: PresentPorts): Job {
  let presented = wanted();
  let lastTime = Number.NEGATIVE_INFINITY;
  return {
    name: "present-certificates",
    every: SECOND,
    timeLimit: MINUTE,
    async run() {
      const now = wanted();
      if (now === presented || timers.elapsed() - lastTime < MIN_INTERVAL) return;
      lastTime = timers.elapsed();
      await present();
      presented = now;
    },
  };
}
