import { parentPort, workerData } from "node:worker_threads";
import type { ApiHandler } from "../../api/api.ts";
import { shiftedClock } from "../../clients/system/clock.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { systemTimers } from "../../clients/system/timers.ts";
import type { Config } from "../../config/settings.ts";
import { makeViewRecorder, type ViewRecorder } from "../../domain/analytics/record-views.ts";
import { makeEventStreams } from "../../domain/events/streams.ts";
import { loadOnce } from "../../domain/load-once.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock, Log } from "../../domain/ports/system.ts";
import { SECOND } from "../../domain/timestamp.ts";
import { proxyTrust } from "../../serving/connection.ts";
import { baseHosts } from "../../serving/host.ts";
import { makePipeline } from "../../serving/pipeline.ts";
import { ResponseMemory } from "../../serving/response-memory.ts";
import { strictTransport } from "../../serving/tls/strict-transport.ts";
import { dataFolder } from "../../storage/folder/data-folder.ts";
import { openStorage } from "../../storage/open.ts";
import { remoteControl } from "../control.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { stderrLog } from "../log.ts";
import { threadStorage } from "../ports/storage.ts";
import { remotePublisher } from "../publish/publisher.ts";
import { handleCalls } from "../rpc.ts";
import { sharedStreamSlots } from "../stream-table.ts";
import { throttleOf } from "../throttle-table.ts";
import { sharedUploads } from "../upload-table.ts";
import type { ApiParts } from "./api.ts";
import { composeHosting } from "./hosting.ts";
import { openListeners } from "./listeners.ts";
import { openPermit } from "./permit.ts";
import type { ServingMethods, ServingTask } from "./threads.ts";
import { watchRequests } from "./watching.ts";

/** Runs a serving thread. */
export function runServingThread(): void {
  if (!parentPort) throw new Error("this file is the entry of a worker thread");
  const task = workerData as ServingTask;
  let thread: Listening | null = null;
  handleCalls<ServingMethods>(parentPort, {
    async listen() {
      thread = await startServing(task);
      return thread.port;
    },
    async present() {
      await thread?.present();
    },
    async ping() {},
    async drain(delay) {
      await thread?.drain(delay);
    },
  });
}

/** The state of a listening thread. */
interface Listening {
  readonly port: number;
  /** Reloads the certificates and presents them from the next connection on. */
  present(): Promise<void>;
  /**
   * For `delay` milliseconds it reports not ready, and closes each connection after its next response. Then it finishes
   * running requests and closes everything.
   */
  drain(delay: number): Promise<void>;
}

/** Connections to a shared database of all serving threads together. PostgreSQL allows 100 by default, for all nodes. */
const CONNECTIONS = 8;
const MIN_CONNECTIONS = 2;

/** Opens what all of a thread's requests share. */
async function openParts({ shared, meters, lease }: ServingTask) {
  const { config, clockShift, responseMemory } = shared;
  const { cluster } = shared.storage;
  const connections = Math.max(MIN_CONNECTIONS, Math.floor(CONNECTIONS / config.workers));
  const { store, openContent, openContentReadOnly, close } = openStorage({ ...threadStorage(shared), connections });
  const clock = shiftedClock(clockShift);
  const log = stderrLog(config.log, config.logLevel);
  const views = recordViews(store, clock, log);
  return {
    config,
    folder: dataFolder(config.dataDir),
    store,
    content: openContent(),
    keptContent: openContentReadOnly(),
    clock,
    views,
    recorder: views.recorder,
    watching: watchRequests(config, clock, meters),
    permit: lease && cluster ? await openPermit(lease, cluster, config.isolatedFor) : null,
    responseMemory: responseMemory && new ResponseMemory(responseMemory),
    report: (error: unknown) => log.error("a request failed", error),
    close,
  };
}

/** Opens this thread's store and listeners. Throws if the address is not available. */
async function startServing(task: ServingTask): Promise<Listening> {
  const { shared, publishing, control } = task;
  collectWhenIdle();
  const parts = await openParts(task);
  const { config, store, clock, views, watching, permit, responseMemory, report, close } = parts;
  const { serve, respondToOwn, explain, siteForHost } = composeHosting({
    ...parts,
    throttle: throttleOf(shared.throttles.visit, clock),
  });
  const slots = sharedStreamSlots(shared.streams);
  const eventStreams = makeEventStreams({ ...parts, slots, timers: systemTimers });
  let isDraining = false;
  const readiness = () => (isDraining ? "draining" : (permit?.isCurrent() ?? true) ? "ready" : "isolated");
  const api = lazyApi({
    ...parts,
    node: shared.node,
    publisher: remotePublisher(publishing),
    ...remoteControl(control, config.ciIssuers ?? []),
    siteForHost,
    explain,
    throttle: throttleOf(shared.throttles.api, clock),
    uploads: sharedUploads(shared.uploads, { count: config.maxUserUploads, bytes: config.maxUserUploadBytes }),
    eventStreams,
    readiness,
  });

  const respond = makePipeline({ ...pipelineSettings(config), responseMemory, api, respondToOwn, serve });
  const listeners = await openListeners({
    config,
    store,
    clock,
    isRouted: async (host) => (await siteForHost(host)) !== null,
    report,
    observed: watching.observed,
    fetch(request, server) {
      const response = respond(request, server);
      return isDraining ? closingConnection(response) : response;
    },
  });

  return {
    port: listeners.port,
    async present() {
      await listeners.present();
      // Open streams would keep the listener with the former certificates.
      eventStreams.endAll();
    },
    async drain(delay) {
      isDraining = true;
      if (delay > 0) await Bun.sleep(delay);
      eventStreams.stop();
      for (const part of [listeners, views, watching]) await part.stop();
      responseMemory?.stop();
      close();
    },
  };
}

/** The client's next connection then leads to another server, if a load balancer stands before this one. */
async function closingConnection(early: Response | Promise<Response>): Promise<Response> {
  const response = await early;
  response.headers.set("connection", "close");
  return response;
}

/** Loads the API with the first request that needs it, so that threads that only serve sites save its memory. */
function lazyApi(parts: ApiParts): ApiHandler {
  const load = loadOnce(async () => (await import("./api.ts")).composeApi(parts));
  return async (request, connection) => (await load())(request, connection);
}

function pipelineSettings(config: Config) {
  const encrypted = config.tls !== "off";
  return {
    baseHosts: baseHosts(config.baseUrl),
    trust: proxyTrust(config.trustedProxies),
    encrypted,
    http2: config.http2 && encrypted,
    strictTransport: strictTransport(config),
    maxUrlLength: config.maxUrlLength,
    uploadIdleTimeout: config.uploadIdleTimeout,
  };
}

/** A crash loses at most ten seconds of views; half of that leaves time for a slow disk. */
const VIEW_INTERVAL = 5 * SECOND;

interface RecordedViews {
  readonly recorder: ViewRecorder;
  /** Flushes the counts a last time. */
  stop(): Promise<void>;
}

/** Counts the views of one thread, and stores them every few seconds. */
function recordViews(store: Store, clock: Clock, log: Log): RecordedViews {
  const recorder = makeViewRecorder({ store, clock, secrets: systemSecrets, pause: () => Bun.sleep(0) });
  const write = () => recorder.flush().catch((error) => log.error("views were not written yet", error));
  const timer = setInterval(write, VIEW_INTERVAL);
  return {
    recorder,
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
