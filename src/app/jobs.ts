import { makeLinks } from "../api/schemas/links.ts";
import { systemClock } from "../clients/system/clock.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { standardRetention } from "../config/policies.ts";
import type { Config } from "../config/settings.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import { changeLogJob } from "../jobs/change-log.ts";
import { claimJobs } from "../jobs/claims.ts";
import { collectObjectsJob } from "../jobs/collect-objects.ts";
import { incidentJobs } from "../jobs/incidents.ts";
import type { Job } from "../jobs/job.ts";
import { liveEventJob } from "../jobs/live-events.ts";
import { auditJobs, previewJob, retentionJob, viewJobs } from "../jobs/retention.ts";
import { reserveFileJob, sweepJob } from "../jobs/sweep.ts";
import { webhookJobs } from "../jobs/webhooks.ts";
import { diskSpace } from "../storage/disk/disk-space.ts";
import type { Storage } from "../storage/open.ts";
import { webhookSender } from "../workers/ports/webhooks.ts";

interface JobParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly claims: ClaimPorts;
  /** The jobs returned by `storageJobs`. */
  readonly upkeep: readonly Job[];
}

const pause = () => Bun.sleep(0);

/** Returns the jobs that maintain the storage. Called before any upload is possible. */
export function storageJobs({
  config,
  storage,
  clock,
  log,
}: Pick<JobParts, "config" | "storage" | "clock" | "log">): Job[] {
  const { store, openContent, createReserveFile: reserve, collectObjects: collect } = storage;
  // Files have the times of the machine's clock. Content in a bucket is recorded by all nodes, whose clocks may differ.
  const contentClock = config.content === null ? systemClock : clock;
  const clocks = { clock, contentClock, timers: systemTimers };
  return [
    sweepJob({ store, content: openContent(), ...clocks, log, pause, isShared: config.database !== null }),
    ...(reserve ? [reserveFileJob(reserve)] : []),
    ...(collect ? [collectObjectsJob({ collect, clock, log, pause })] : []),
    ...(store.nodes ? [changeLogJob(store.nodes, log)] : []),
  ];
}

/** Returns the other jobs of the main thread, in the order in which operators see them. */
export function mainJobs(parts: JobParts, certificateJobs: readonly Job[]): Job[] {
  const { config, storage, clock, log, claims, upkeep } = parts;
  const { store } = storage;
  const ports = { store, clock, log };
  return [
    ...claimJobs(claims, log),
    ...certificateJobs,
    ...viewJobs(store, clock),
    ...webhookJobs({
      ...ports,
      sender: webhookSender(config),
      // The operator may choose a private address.
      operatorSender: webhookSender({ allowPrivateWebhooks: true }),
      urls: makeLinks(config.baseUrl, config.sitesDomain),
      timers: systemTimers,
      random: Math.random,
    }),
    ...incidentJobs({
      ...ports,
      space: () => diskSpace(config.dataDir),
      server: config.baseUrl,
      node: store.nodes && config.nodeName,
    }),
    ...upkeep,
    previewJob(ports),
    retentionJob(ports, standardRetention(config)),
    liveEventJob(store),
    ...auditJobs({ ...ports, pause }, config.auditDays),
  ];
}
