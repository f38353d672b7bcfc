import { KEPT_DAYS } from "../domain/analytics/analytics.ts";
import { dayOf } from "../domain/model/view-delta.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock } from "../domain/ports/system.ts";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** Returns the job that deletes old views. */
export function viewRetentionJob({ views }: Pick<Store, "views">, clock: Clock): Job {
  return expiryJob({
    name: "view-retention",
    title: "Remove old analytics",
    every: DAY,
    timeLimit: 10 * MINUTE,
    run: () => views.deleteBefore(dayOf(clock.now()) - KEPT_DAYS),
  });
}
