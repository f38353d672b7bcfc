import { KEPT_DAYS } from "../domain/analytics/analytics.ts";
import { dayOf } from "../domain/analytics/view-deltas.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Store } from "../domain/ports/store.ts";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** The job that forgets the views of days long past; not while the clock says something that it may take back. */
export function viewJobs(store: Pick<Store, "views">, clock: Clock): Job[] {
  return [
    {
      name: "view-retention",
      scope: "cluster",
      every: DAY,
      timeLimit: 5 * MINUTE,
      async run({ clockTrusted }) {
        if (clockTrusted) await store.views.forgetBefore(dayOf(clock.now()) - KEPT_DAYS);
      },
    },
  ];
}
