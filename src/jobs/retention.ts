import { applyRetention } from "../domain/deployments/retention.ts";
import type { RetentionPolicy } from "../domain/model/retention.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** Returns the job that deletes deployments which no policy keeps. */
export function retentionJob(
  ports: { readonly store: Pick<Store, "retention">; readonly clock: Clock; readonly log: Log },
  standard: RetentionPolicy,
): Job {
  return expiryJob({
    name: "retention",
    title: "Apply deployment retention",
    every: HOUR,
    timeLimit: 10 * MINUTE,
    async run({ lease }) {
      for (const { siteName, numbers, bytes } of await applyRetention(ports, standard, null, lease)) {
        ports.log.info("deployments removed by retention", { site: siteName, deployments: numbers.length, bytes });
      }
    },
  });
}
