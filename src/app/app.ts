import { rmSync } from "node:fs";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { type ClockShift, newClockShift, shiftedClock } from "../clients/system/clock.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { standardRetention, uploadLimits } from "../config/policies.ts";
import { type Config, formatListenAddress } from "../config/settings.ts";
import type { BackupSchedule } from "../domain/backups/schedule.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import type { Permit } from "../domain/deployments/deploy.ts";
import { messageOf } from "../domain/error-message.ts";
import { makeExaminer } from "../domain/maintenance/examiner.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { PublicationResult } from "../domain/ports/store/deployments.ts";
import type { Store } from "../domain/ports/store.ts";
import { StartFailure } from "../domain/start-failure.ts";
import { claimJobs } from "../jobs/claims.ts";
import { incidentJob } from "../jobs/incidents.ts";
import type { Job } from "../jobs/job.ts";
import { liveEventJob } from "../jobs/live-events.ts";
import { auditJobs, previewJob, retentionJob, viewJobs } from "../jobs/retention.ts";
import { startScheduler } from "../jobs/scheduler.ts";
import { type MeterSlots, newMeterSlots } from "../serving/metrics.ts";
import { newResponseMemoryTable } from "../serving/response-memory.ts";
import {
  type DataFolder,
  explainedDamage,
  lockDataFolder,
  makeRoomToStart,
  prepareDataFolder,
} from "../storage/data-folder/data-folder.ts";
import { diskSpace } from "../storage/disk-space.ts";
import { openStorage, prepareStorage, sharedStorage } from "../storage/open.ts";
import { clearSpool } from "../storage/spool/filesystem.ts";
import { workerEntry } from "../worker-entries.ts";
import { type BackupTask, backUpInBackground } from "../workers/backup/backup-thread.ts";
import { type Maintenance, shareMaintenance } from "../workers/control.ts";
import { type EncodingTask, encodeInBackground } from "../workers/encode/encoding-thread.ts";
import { stderrLog } from "../workers/log.ts";
import { serveMetrics } from "../workers/metrics.ts";
import { openPublisher, sharePublisher, type ThreadedPublisher } from "../workers/publish/publisher.ts";
import type { PublishingTask } from "../workers/publish/publishing-thread.ts";
import { withFreePorts } from "../workers/serve/free-ports.ts";
import { newServingWorker, type ServingThread, startServingThread } from "../workers/serve/threads.ts";
import type { Shared } from "../workers/shared.ts";
import { newStreamTable } from "../workers/stream-table.ts";
import { type Supervision, supervise } from "../workers/supervision.ts";
import { newThrottleTables } from "../workers/throttle-table.ts";
import { newUploadTable } from "../workers/upload-table.ts";
import { backupSchedule } from "./backups.ts";
import type { CertificateKeeping } from "./certificates.ts";
import { claimPorts, NODE } from "./claims.ts";
import { sampleMetrics } from "./metric-history.ts";
import { runDoctor } from "./run-doctor.ts";
import { setupLink } from "./setup-link.ts";
import { storageJobs } from "./storage-jobs.ts";
import { deliverWebhooks, operatorWebhook } from "./webhooks.ts";

/** A running server. */
export interface RunningServer {
  /** The settings, with the port that was really taken. */
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  /** The port of the metrics; null where they are off. */
  readonly metricsPort: number | null;
  /** Opens a fresh one-time set-up link and returns its address; null where it would lead to no account. */
  openSetupLink(): Promise<string | null>;
  /** Tells the service manager that the server runs, as long as every serving thread responds; null where none asks. */
  supervise(env: Readonly<Record<string, string | undefined>>): Supervision | null;
  /** Takes no new connections, lets running requests finish for up to 30 seconds, writes everything down, and ends. */
  stop(): Promise<void>;
}

/** Milliseconds that running requests may take to finish when the server stops. */
const DRAIN_LIMIT = 30_000;

/**
 * Starts the server: takes the data folder's lock, brings the database up to date, and starts the threads that
 * answer. Throws StartFailure, with everything given back, when it cannot.
 */
export async function serve(wanted: Config, clockShift: ClockShift = newClockShift()): Promise<RunningServer> {
  const folder = prepareDataFolder(wanted.dataDir);
  const release = lockDataFolder(folder);
  if (!release) {
    throw new StartFailure(`another vitrine serves the data folder ${folder.root}: stop it first, or give --data-dir`);
  }
  const held = new AsyncDisposableStack();
  held.defer(release);
  try {
    makeRoomToStart(folder);
    return await start(wanted, folder, clockShift, held);
  } catch (error) {
    await held.disposeAsync();
    throw explainedDamage(folder, error);
  }
}

async function start(
  wanted: Config,
  folder: DataFolder,
  clockShift: ClockShift,
  held: AsyncDisposableStack,
): Promise<RunningServer> {
  const parts = await openParts(wanted, folder, clockShift, held);
  const { config, store, clock, log, lastChangeAt, certificates } = parts;
  const meters = Array.from({ length: config.workers }, newMeterSlots);
  const maintenance = Promise.withResolvers<Maintenance>();
  const threads = await startThreads(parts, meters, maintenance.promise, held);
  const encoding = encodeInBackground(NODE, store, () => newEncodingThread(parts.shared), log);
  held.defer(() => encoding.stop());
  const schedule = backupSchedule(config);
  const backups = backUpInBackground({ store, clock, log }, schedule, () => newBackupThread(parts.shared, schedule));
  held.defer(() => backups.stop());
  const history = config.admin
    ? await sampleMetrics({ ...parts, meters, failedJobs: () => scheduler.failures() })
    : null;
  const scheduler = await startScheduler(
    { store, clock, log, lastChangeAt, timers: systemTimers, random: Math.random, node: NODE },
    [...jobsOf(parts, threads), encoding.job, backups.job, ...(history ? [history.job] : [])],
  );
  held.defer(async () => history?.flush().catch((error) => log.error("the last metrics were not written", error)));
  held.defer(() => scheduler.stop());
  const examiner = makeExaminer({ run: (signal) => runDoctor(config, signal), clock, timers: systemTimers });
  held.defer(() => examiner.stop());
  maintenance.resolve({ ...scheduler, examine: examiner.examine });
  const metrics = serveMetrics(config, { store, certificates, folder, clock, log, scheduler }, meters);
  held.defer(() => metrics?.stop());

  return {
    config,
    store,
    clock,
    metricsPort: metrics?.port ?? null,
    openSetupLink: () => setupLink(config, { store, clock, secrets: systemSecrets }),
    supervise: (env) => supervise(env, config.baseUrl, () => everyThread(threads, (thread) => thread.ping())),
    async stop() {
      await drain(threads, config.drainDelay ?? 0);
      await held.disposeAsync();
    },
  };
}

type Publishing = ThreadedPublisher<Permit, PublicationResult>;

/** What the threads and the jobs of one server work with. */
interface Parts {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly shared: Shared;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** When something was last noted before this start; null where nothing was. */
  readonly lastChangeAt: number | null;
  readonly upkeep: readonly Job[];
  readonly claims: ClaimPorts;
  readonly certificates: CertificateKeeping;
}

/** Brings the data folder up to date and opens everything that is there before anybody is answered. */
async function openParts(
  wanted: Config,
  folder: DataFolder,
  clockShift: ClockShift,
  held: AsyncDisposableStack,
): Promise<Parts> {
  await prepareStorage(folder);
  clearSpool(folder.spool);
  const config = withFreePorts(wanted);
  const log = stderrLog(config.log);
  const clock = shiftedClock(clockShift);
  const throttles = newThrottleTables(config, clock);
  const shared: Shared = {
    config,
    storage: sharedStorage(folder.root),
    clockShift,
    throttles,
    uploads: newUploadTable(),
    streams: newStreamTable(),
    responseMemory: config.tls === "off" ? null : newResponseMemoryTable(config.answerBytes),
  };
  // From here on it changes: it is no backup any more, and none may be written over it.
  rmSync(folder.description, { force: true });
  const storage = openStorage(shared.storage);
  held.defer(storage.close);
  const { store } = storage;
  // Read before anything is noted by the clock of this start, which may be wrong.
  const lastChangeAt = await store.lastChangeAt();
  await store.claims.endChecks(NODE);
  await store.webhooks.keepOperators(operatorWebhook(config), clock.now());
  const upkeep = storageJobs(storage, clock, log);
  const claims = claimPorts(config, store, clock);
  const certificates = await certificateKeeping(config, { store, clock, log, claims }).catch((error: Error) => {
    throw new StartFailure(error.message);
  });
  held.defer(() => certificates.stop());
  return { config, folder, shared, store, clock, log, lastChangeAt, upkeep, claims, certificates };
}

/** ACME and X.509 take twenty megabytes: they are loaded only where TLS is on. */
async function certificateKeeping(
  config: Config,
  ports: { store: Store; clock: Clock; log: Log; claims: ClaimPorts },
): Promise<CertificateKeeping> {
  if (config.tls !== "acme") await ports.store.certificates.noteOrdering(false);
  if (config.tls === "off") return { jobs: () => [], presented: () => [], stop: async () => {} };
  const { keepCertificates } = await import("./certificates.ts");
  return keepCertificates(config, ports);
}

/** Starts the threads that publish and that answer. */
async function startThreads(
  { config, shared, store, log }: Parts,
  meters: readonly MeterSlots[],
  maintenance: Promise<Maintenance>,
  held: AsyncDisposableStack,
): Promise<ServingThread[]> {
  const publishing: Publishing = openPublisher({
    limits: uploadLimits(config),
    maxThreads: config.unpackers,
    maxWaiting: config.waitingUploads,
    startThread: () => newPublishingThread(shared),
  });
  held.defer(() => publishing.close());
  // Read before the threads load what they present: a change in between is presented once more.
  const presented = await store.certificates.revision();
  const lost = (reason: string) => log.error("a thread was lost", reason);
  const threads = await startServingThreads(shared, { publishing, maintenance }, meters, lost);
  held.defer(() => endAll(threads));
  await store.certificates.setLive(presented);
  return threads;
}

async function startServingThreads(
  shared: Shared,
  { publishing, maintenance }: { publishing: Publishing; maintenance: Promise<Maintenance> },
  meters: readonly MeterSlots[],
  lost: (reason: string) => void,
): Promise<ServingThread[]> {
  const { listen } = shared.config;
  const started = await Promise.allSettled(
    meters.map((slots) => {
      const task = {
        shared,
        meters: slots,
        publishing: sharedPort((port) => sharePublisher(port, publishing)),
        control: sharedPort((port) => shareMaintenance(port, maintenance)),
      };
      return startServingThread(newServingWorker(task), lost);
    }),
  );
  const failed = started.find((result) => result.status === "rejected");
  const threads = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (!failed) return threads;
  await Promise.all(threads.map((thread) => thread.drain()));
  throw new StartFailure(`cannot listen on ${formatListenAddress(listen)}: ${messageOf(failed.reason)}`);
}

/** Returns the end of a new channel for a thread, with something shared at its other end. */
function sharedPort(share: (port: MessagePort) => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  share(port1);
  // A listening port would keep the process running for ever.
  port1.unref();
  return port2;
}

/** The jobs of the main thread. */
function jobsOf({ config, folder, store, clock, log, ...parts }: Parts, threads: readonly ServingThread[]): Job[] {
  const ports = { store, clock, log };
  const presentEverywhere = () => everyThread(threads, (thread) => thread.present());
  return [
    ...claimJobs(parts.claims, log),
    ...parts.certificates.jobs(presentEverywhere),
    ...viewJobs(store, clock),
    ...deliverWebhooks(config, ports),
    incidentJob({ ...ports, space: () => diskSpace(folder.root), server: config.baseUrl }),
    ...parts.upkeep,
    previewJob(ports),
    retentionJob(ports, standardRetention(config)),
    liveEventJob(store),
    ...auditJobs({ ...ports, pause: () => Bun.sleep(0) }, config.auditDays),
  ];
}

/** Lets running requests finish; those that take longer than the limit are cut off. */
async function drain(threads: readonly ServingThread[], delay: number): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, delay + DRAIN_LIMIT);
  await Promise.race([Promise.all(threads.map((thread) => thread.drain(delay))), limit.promise]);
  // Left running, the timer and the threads would keep the process alive.
  clearTimeout(timer);
  endAll(threads);
}

async function everyThread(
  threads: readonly ServingThread[],
  action: (thread: ServingThread) => Promise<void>,
): Promise<void> {
  await Promise.all(threads.map(action));
}

function endAll(threads: readonly ServingThread[]): void {
  for (const thread of threads) thread.end();
}

function newPublishingThread({ config, storage, clockShift }: Shared): Worker {
  const task: PublishingTask = { config, storage, clockShift };
  return new Worker(workerEntry("publish"), { workerData: task });
}

function newBackupThread({ config, storage, clockShift }: Shared, schedule: BackupSchedule): Worker {
  const task: BackupTask = { config, storage, clockShift, schedule };
  return new Worker(workerEntry("backup"), { workerData: task });
}

function newEncodingThread({ storage }: Shared): Worker {
  const task: EncodingTask = { node: NODE, storage };
  return new Worker(workerEntry("encode"), { workerData: task });
}
