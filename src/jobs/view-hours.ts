import { SHOWN_HOURS } from "../domain/analytics/analytics.ts";
import { hourOf } from "../domain/model/view-delta.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock } from "../domain/ports/system.ts";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import { expiryJob } from "./expiry-job.ts";
import type { Job } from "./job.ts";

/** Returns the job that deletes the hours of views that no chart shows any more. */
export function viewHoursJob({ views }: Pick<Store, "views">, clock: Clock): Job {
  return expiryJob({
    name: "view-hours",
    title: "Remove old hourly analytics",
    every: HOUR,
    timeLimit: 10 * MINUTE,
    run: () => views.deleteHoursBefore(hourOf(clock.now()) - SHOWN_HOURS),
  });
}
