import { rmSync } from "node:fs";
import { bundledPublicSuffixes } from "../clients/dns/public-suffixes.ts";
import { type ClockShift, newClockShift, shiftedClock } from "../clients/system/clock.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { operatorWebhook } from "../config/policies.ts";
import type { Config } from "../config/settings.ts";
import { presentCurrent } from "../domain/certificates/manage.ts";
import type { ClaimPorts } from "../domain/claims/claim-ports.ts";
import { messageOf } from "../domain/error-message.ts";
import { unlessUnavailable } from "../domain/errors.ts";
import { loadOnce } from "../domain/load-once.ts";
import { examineDomains } from "../domain/maintenance/examine-domains.ts";
import { makeExaminer } from "../domain/maintenance/examiner.ts";
import type { IdTokens } from "../domain/ports/id-tokens.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import { StartFailure } from "../domain/start-failure.ts";
import { type Scheduler, startScheduler } from "../jobs/scheduler.ts";
import { type MeterSlots, newMeterSlots } from "../serving/metrics.ts";
import type { JoinedNode } from "../storage/cluster.ts";
import { readContentMeters } from "../storage/content/s3/content-meters.ts";
import {
  type DataFolder,
  explainDamage,
  lockDataFolder,
  makeRoomToStart,
  prepareDataFolder,
} from "../storage/folder/data-folder.ts";
import { readClusterMeters } from "../storage/meters/cluster-meters.ts";
import { openStorage, prepareStorage, takeContentPlace } from "../storage/open.ts";
import { clearSpool } from "../storage/spool/filesystem.ts";
import { backUpInBackground } from "../workers/backup/backup-thread.ts";
import type { Control, Maintenance } from "../workers/control.ts";
import { runDoctor } from "../workers/doctor-process.ts";
import { encodeInBackground } from "../workers/encode/encoding-thread.ts";
import { stderrLog } from "../workers/log.ts";
import { sampleMetrics } from "../workers/metric-history.ts";
import { serveMetrics } from "../workers/metrics.ts";
import { claimPorts } from "../workers/ports/claims.ts";
import { threadStorage } from "../workers/ports/storage.ts";
import { openThreadedPublisher } from "../workers/publish/threads.ts";
import { withFreePorts } from "../workers/serve/free-ports.ts";
import { startThreadGroup, type ThreadGroup } from "../workers/serve/thread-group.ts";
import { serverHosts } from "../workers/serve/tls.ts";
import { newShared, type Shared } from "../workers/shared.ts";
import { type Supervision, supervise } from "../workers/supervision.ts";
import { exchangeTaken } from "../workers/throttle-exchange.ts";
import type { CertificateKeeping } from "./certificates.ts";
import { joinDatabase } from "./cluster.ts";
import { allJobs, contentSweep, type JobParts } from "./jobs.ts";
import { setupLink } from "./setup-link.ts";

export interface RunningServer {
  /** The settings, with the actual port. */
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  /** The port of the metrics; null if they are off. */
  readonly metricsPort: number | null;
  /** Opens a new one-time set-up link and returns its URL; null if it could not create an account. */
  openSetupLink(): Promise<string | null>;
  /** Notifies the service manager while every serving thread responds; null without a service manager. */
  supervise(env: Readonly<Record<string, string | undefined>>): Supervision | null;
  /** Resolves if an operator requests that this node drain, so that it must be stopped; never without other nodes. */
  readonly drainRequested: Promise<void>;
  /** Resolves if a serving thread ends unexpectedly, so that the process must be replaced. */
  readonly threadLost: Promise<void>;
  /**
   * Refuses new connections, lets running requests finish for up to 30 seconds, writes all buffered data, and ends. On a
   * busy machine, a background thread may still run until the process exits.
   */
  stop(): Promise<void>;
}

/**
 * Starts the server: takes the data folder's lock, migrates the database, and starts the serving threads. Throws
 * StartFailure, with everything released, if it cannot start.
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
    throw explainDamage(folder, error);
  }
}

async function start(
  wanted: Config,
  folder: DataFolder,
  clockShift: ClockShift,
  held: AsyncDisposableStack,
): Promise<RunningServer> {
  const parts = await openParts(wanted, folder, clockShift, held);
  const { config, shared, clock, log, member } = parts;
  const { store } = parts.storage;
  const warnings = examineDomains(serverHosts(config), bundledPublicSuffixes());
  for (const { detail, advice } of warnings) log.warn(detail, { advice });
  const meters = Array.from({ length: config.workers }, newMeterSlots);
  const maintenance = Promise.withResolvers<Maintenance>();
  const control = { maintenance: maintenance.promise, idTokens: idTokens(config.ciIssuers ?? []) };
  const threads = await startThreads(parts, meters, control, held);
  const scheduler = await startJobs(parts, meters, threads, held);
  const examiner = makeExaminer({ run: (signal) => runDoctor(config, signal), clock, timers: systemTimers });
  held.defer(() => examiner.stop());
  maintenance.resolve({ ...scheduler, examine: examiner.examine });
  const metrics = serveMetrics(
    config,
    {
      ...parts,
      store,
      scheduler,
      content: () => readContentMeters(shared.contentMeters),
      cluster: () => (shared.storage.cluster ? readClusterMeters(shared.storage.cluster.meters) : null),
    },
    meters,
  );
  held.defer(() => metrics?.stop());

  return {
    config,
    store,
    clock,
    metricsPort: metrics?.port ?? null,
    openSetupLink: () => setupLink(config, { store, clock, secrets: systemSecrets }),
    drainRequested: member?.drainRequested ?? new Promise(() => {}),
    threadLost: threads.lost,
    supervise: (env) => supervise(env, config.baseUrl, threads.ping),
    async stop() {
      await member?.drain().catch((error) => log.warn("other nodes do not know that this one drains", reasonOf(error)));
      await threads.drain(config.drainDelay ?? 0);
      await held.disposeAsync();
    },
  };
}

/** The shared dependencies of the threads and jobs of one server. */
interface Parts extends JobParts {
  readonly folder: DataFolder;
  readonly shared: Shared;
  /** The time of the last recorded change before this start; null if there was none. */
  readonly lastChangeAt: number | null;
  readonly certificates: CertificateKeeping;
  /** This node's membership in the cluster of its database; null without a shared database. */
  readonly member: JoinedNode | null;
}

/** Upgrades the data folder, opens all storage, and joins the cluster before any request is served. */
async function openParts(
  wanted: Config,
  folder: DataFolder,
  clockShift: ClockShift,
  held: AsyncDisposableStack,
): Promise<Parts> {
  const log = stderrLog(wanted.log, wanted.logLevel);
  await prepareStorage(folder, { database: wanted.database, hasBucket: wanted.content !== null });
  clearSpool(folder.spool);
  const config = withFreePorts(wanted);
  const clock = shiftedClock(clockShift);
  const shared = newShared(config, clockShift);
  const options = threadStorage(shared);
  const storage = openStorage(options);
  held.defer(storage.close);
  const { store } = storage;
  const { away } = await unlessAway(config, takeContentPlace(store, options), { away: null });
  if (away !== null) log.warn("content cannot be reached; what is cached is served", { reason: away });
  const member = await joinDatabase(shared, folder, log);
  held.defer(async () => member?.leave().catch((error) => log.warn("the node could not leave", reasonOf(error))));
  const { nodes } = store;
  if (nodes !== null) {
    const ports = { exchange: nodes.rates, node: shared.node, clock, timers: systemTimers };
    held.defer(exchangeTaken(shared.throttles, ports));
  }
  // From here on the folder changes, so it is no longer a backup, and no backup may overwrite it.
  rmSync(folder.description, { force: true });
  // Read before this start records anything with its own clock, which may be wrong.
  const lastChangeAt = await unlessAway(config, store.lastChangeAt(), null);
  await unlessAway(config, store.claims.endChecks(shared.node), undefined);
  await unlessAway(config, store.webhooks.keepOperators(operatorWebhook(config), clock.now()), undefined);
  const sweep = contentSweep({ config, storage, clock, log });
  const claims = claimPorts(config, { node: shared.node, store, clock });
  const certificates = await certificateKeeping(config, { store, clock, log, claims }).catch((error: Error) => {
    throw new StartFailure(error.message);
  });
  held.defer(() => certificates.stop());
  return { config, folder, shared, storage, clock, log, lastChangeAt, sweep, claims, certificates, member };
}

/** ACME and X.509 take twenty megabytes, so they are loaded only with TLS. */
async function certificateKeeping(
  config: Config,
  ports: { store: Store; clock: Clock; log: Log; claims: ClaimPorts },
): Promise<CertificateKeeping> {
  if (config.tls !== "acme") await unlessAway(config, ports.store.certificates.noteOrdering(false), undefined);
  if (config.tls === "off") return { jobs: () => [], presented: () => [], stop: async () => {} };
  const { keepCertificates } = await import("./certificates.ts");
  return keepCertificates(config, ports);
}

/** Signatures take five megabytes, so they are loaded with the first ID token. */
function idTokens(issuers: readonly string[]): IdTokens {
  const load = loadOnce(async () => (await import("../clients/ci/id-tokens.ts")).ciIdTokens(issuers));
  return { issuers, check: async (token) => (await load()).check(token) };
}

/** Starts the publishing and serving threads. */
async function startThreads(
  { shared, storage, log, member }: Parts,
  meters: readonly MeterSlots[],
  control: Control,
  held: AsyncDisposableStack,
): Promise<ThreadGroup> {
  const publishing = openThreadedPublisher(shared);
  held.defer(() => publishing.close());
  return presentCurrent(storage, async () => {
    const threads = await startThreadGroup(shared, meters, { publishing, control, member, log });
    held.defer(() => threads.end());
    return threads;
  });
}

/** Starts the threads that encode and back up, and the scheduler with all jobs of the main thread. */
async function startJobs(
  parts: Parts,
  meters: readonly MeterSlots[],
  threads: ThreadGroup,
  held: AsyncDisposableStack,
): Promise<Scheduler> {
  const { config, shared, storage, clock, log, lastChangeAt, certificates, member } = parts;
  const { store } = storage;
  const encoding = encodeInBackground(shared, { store, log });
  held.defer(() => encoding.stop());
  const backups = backUpInBackground(shared, { store, clock, log });
  held.defer(() => backups.stop());
  const history = config.admin
    ? sampleMetrics({ ...parts, store, meters, failedJobs: () => scheduler.failures() })
    : null;
  const isPaused = () => member?.lease.isIsolated() ?? false;
  const scheduler = await startScheduler(
    { store, clock, log, lastChangeAt, timers: systemTimers, random: Math.random, node: shared.node, isPaused },
    allJobs(parts, {
      certificates: certificates.jobs(threads.present),
      encoding: encoding.job,
      backups: backups.job,
      metrics: history?.job ?? null,
    }),
  );
  held.defer(async () => history?.flush().catch((error) => log.error("the last metrics were not written", error)));
  held.defer(() => scheduler.stop());
  return scheduler;
}

/** Returns `otherwise` if the shared database is unreachable: a node can start without it. */
function unlessAway<T>({ database }: Config, work: Promise<T>, otherwise: T): Promise<T> {
  return database === null ? work : unlessUnavailable(work, otherwise);
}

function reasonOf(error: unknown): { readonly reason: string } {
  return { reason: messageOf(error) };
}
