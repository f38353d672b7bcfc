import { KEPT_DAYS, SHOWN_HOURS } from "../domain/analytics/analytics.ts";
import { dropOldEntries } from "../domain/audit/audit.ts";
import { applyRetention } from "../domain/deployments/retention.ts";
import { EXPIRED_FOR } from "../domain/model/preview.ts";
import type { RetentionPolicy } from "../domain/model/retention.ts";
import { dayOf, hourOf } from "../domain/model/view-delta.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { type Job, type JobRun, pauseUntilAborted } from "./job.ts";

/** Returns the job that deletes deployments which no policy keeps. It is skipped while the clock is not trusted. */
export function retentionJob(
  ports: { readonly store: Pick<Store, "retention">; readonly clock: Clock; readonly log: Log },
  standard: RetentionPolicy,
): Job {
  return expiryJob("retention", HOUR, async ({ lease }) => {
    for (const { siteName, numbers, bytes } of await applyRetention(ports, standard, null, lease)) {
      ports.log.info("deployments removed by retention", { site: siteName, deployments: numbers.length, bytes });
    }
  });
}

/** Previews deleted in one transaction: a deployment may have 50,000 files. */
const PREVIEW_BATCH = 10;

/** Returns the job that removes expired previews and aliases. */
export function previewJob({
  store: { previews },
  clock,
}: {
  readonly store: Pick<Store, "previews">;
  readonly clock: Clock;
}): Job {
  return expiryJob("previews", 15 * SECOND, async ({ signal }) => {
    const now = clock.now();
    while ((await previews.expire(now, PREVIEW_BATCH)) > 0) signal.throwIfAborted();
    await previews.deleteExpired(now - EXPIRED_FOR);
  });
}

/** Returns the jobs that delete old views. They are skipped while the clock is not trusted. */
export function viewJobs(store: Pick<Store, "views">, clock: Clock): Job[] {
  return [
    expiryJob("view-retention", DAY, () => store.views.deleteBefore(dayOf(clock.now()) - KEPT_DAYS)),
    expiryJob("view-hours", HOUR, () => store.views.deleteHoursBefore(hourOf(clock.now()) - SHOWN_HOURS)),
  ];
}

interface AuditJobPorts {
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
  readonly log: Log;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

/** Returns the job that deletes old audit entries; none if they are kept forever. */
export function auditJobs(ports: AuditJobPorts, days: number | null): Job[] {
  if (days === null) return [];
  return [
    expiryJob("audit", HOUR, async ({ signal }) => {
      const dropped = await dropOldEntries(ports, days, pauseUntilAborted(ports.pause, signal));
      if (dropped > 0) ports.log.info("audit entries dropped for their age", { entries: dropped });
    }),
  ];
}

// --- internal ---

/** Returns a job of the cluster that deletes what is too old. It is skipped while the clock is not trusted. */
function expiryJob(name: string, every: number, expire: (run: JobRun) => Promise<unknown>): Job {
  return {
    name,
    scope: "cluster",
    every,
    timeLimit: 10 * MINUTE,
    async run(run) {
      if (run.clockTrusted) await expire(run);
    },
  };
}
