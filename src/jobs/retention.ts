import { applyRetention, type RetentionPolicy } from "../domain/deployments/retention.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Returns the job that removes deployments which no policy keeps. Not while the clock is in doubt: it counts days. */
export function retentionJob(
  ports: { readonly store: Pick<Store, "retention">; readonly clock: Clock; readonly log: Log },
  standard: RetentionPolicy,
): Job {
  return {
    name: "retention",
    scope: "cluster",
    every: HOUR,
    timeLimit: 10 * MINUTE,
    async run({ clockTrusted }) {
      if (!clockTrusted) return;
      for (const { siteName, numbers, bytes } of await applyRetention(ports, standard)) {
        ports.log.info("deployments removed by retention", { site: siteName, deployments: numbers.length, bytes });
      }
    },
  };
}
