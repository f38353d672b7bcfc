import { makeLinks } from "../api/schemas/links.ts";
import { systemClock } from "../clients/system/clock.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { standardRetention } from "../config/policies.ts";
import type { Config } from "../config/settings.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import { auditJob } from "../jobs/audit.ts";
import { ballastJob } from "../jobs/ballast.ts";
import { changeLogJob } from "../jobs/change-log.ts";
import { claimChecksJob } from "../jobs/claim-checks.ts";
import { claimExpiryJob } from "../jobs/claim-expiry.ts";
import { claimRemovalsJob } from "../jobs/claim-removals.ts";
import { collectObjectsJob } from "../jobs/collect-objects.ts";
import { diskCacheJob } from "../jobs/disk-cache.ts";
import { claimJobPorts } from "../jobs/each-claim.ts";
import { expiredSitesJob } from "../jobs/expired-sites.ts";
import { incidentsJob } from "../jobs/incidents.ts";
import type { Job } from "../jobs/job.ts";
import { liveEventJob } from "../jobs/live-events.ts";
import { previewsJob } from "../jobs/previews.ts";
import { purgeJob } from "../jobs/purge.ts";
import { retentionJob } from "../jobs/retention.ts";
import { sweepJob } from "../jobs/sweep.ts";
import { viewHoursJob } from "../jobs/view-hours.ts";
import { viewRetentionJob } from "../jobs/view-retention.ts";
import { watchDiskJob } from "../jobs/watch-disk.ts";
import { webhookDeliveriesJob } from "../jobs/webhook-deliveries.ts";
import { webhookRetentionJob } from "../jobs/webhook-retention.ts";
import { diskSpace } from "../storage/disk/disk-space.ts";
import type { Storage } from "../storage/open.ts";
import { webhookSender } from "../workers/ports/webhooks.ts";

/** What jobs need of the parts of a server. */
export interface JobParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly claims: ClaimPorts;
  /** Created before any upload is possible: content that is older was left by a crash. */
  readonly sweep: Job;
}

/** The jobs of parts that have threads or caches of their own. */
interface JobsOfParts {
  /** None without TLS. */
  readonly certificates: readonly Job[];
  readonly encoding: Job;
  readonly backups: Job;
  /** Null without the console. */
  readonly metrics: Job | null;
}

const pause = () => Bun.sleep(0);

/** Files have the times of the machine's clock. Content in a bucket is recorded by all nodes, whose clocks may differ. */
function contentClockOf({ config, clock }: Pick<JobParts, "config" | "clock">): Clock {
  return config.content === null ? systemClock : clock;
}

/** Returns the job that deletes unused content. */
export function contentSweep({ config, storage, clock, log }: Omit<JobParts, "claims" | "sweep">): Job {
  const clocks = { clock, contentClock: contentClockOf({ config, clock }), timers: systemTimers };
  const content = storage.openContent();
  return sweepJob({ store: storage.store, content, ...clocks, log, pause, isShared: config.database !== null });
}

/** Returns all jobs of the server, in the order in which operators see them. */
export function allJobs(parts: JobParts, { certificates, encoding, backups, metrics }: JobsOfParts): Job[] {
  const { config, storage, clock, log, sweep } = parts;
  const { store, createReserveFile: reserve, collectObjects: collect, dropDeletedFromCache: dropDeleted } = storage;
  const ports = { store, clock, log };
  const claims = claimJobPorts(parts.claims, log);
  const node = { ...ports, server: config.baseUrl, node: store.nodes && config.nodeName };
  return [
    claimChecksJob(claims),
    claimRemovalsJob(claims),
    claimExpiryJob(claims),
    ...certificates,
    viewRetentionJob(store, clock),
    viewHoursJob(store, clock),
    webhookDeliveriesJob({
      ...ports,
      sender: webhookSender(config),
      // The operator may choose a private address.
      operatorSender: webhookSender({ allowPrivateWebhooks: true }),
      urls: makeLinks(config.baseUrl, config.sitesDomain),
      timers: systemTimers,
      random: Math.random,
    }),
    webhookRetentionJob(store, clock),
    incidentsJob(node),
    watchDiskJob({ ...node, space: () => diskSpace(config.dataDir) }),
    sweep,
    purgeJob({ ...ports, content: storage.openContent(), contentClock: contentClockOf(parts), pause }),
    ...(reserve ? [ballastJob(reserve)] : []),
    ...(collect ? [collectObjectsJob({ collect, clock, log, pause })] : []),
    ...(dropDeleted ? [diskCacheJob(dropDeleted, log)] : []),
    ...(store.nodes ? [changeLogJob(store.nodes, log)] : []),
    previewsJob(ports),
    expiredSitesJob(claims),
    retentionJob(ports, standardRetention(config)),
    liveEventJob(store),
    ...(config.auditDays === null ? [] : [auditJob({ ...ports, pause }, config.auditDays)]),
    encoding,
    backups,
    ...(metrics ? [metrics] : []),
  ];
}
