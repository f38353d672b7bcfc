import { remotePublisher } from "../adapters/archive/publisher.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { shiftedClock } from "../adapters/clock.ts";
import { messageOf } from "../adapters/failure.ts";
import { stderrLog } from "../adapters/log.ts";
import { openSqliteStore } from "../adapters/store/sqlite/store.ts";
import type { Config } from "../config.ts";
import type { Publisher } from "../domain/ports/publisher.ts";
import { throttleVisits } from "../hosting/throttle-visits.ts";
import type { ApiHandler } from "../http/api.ts";
import { proxyTrust } from "../server/client-address.ts";
import { type Handlers, makeDispatch } from "../server/dispatch.ts";
import { baseHosts } from "../server/host.ts";
import type { ListenOptions } from "../server/listen.ts";
import type { MeterSlots } from "../server/request-meters.ts";
import type { ApiParts } from "./api.ts";
import { dataFolder } from "./data-folder.ts";
import { composeHosting } from "./hosting.ts";
import { collectWhenIdle } from "./idle-collection.ts";
import { openListeners } from "./listeners.ts";
import { throttleOf } from "./rates.ts";
import type { Shared } from "./shared.ts";
import type { Answer, Order } from "./thread-messages.ts";
import { recordViews } from "./views.ts";
import { watchRequests } from "./watching.ts";

/** A serving thread's life: it is told to start, and later to drain. */
export function runServingThread(self: Worker): void {
  let thread: ServingThread | null = null;
  self.addEventListener("message", async ({ data }: MessageEvent<Order>) => {
    if (data.kind === "start") {
      try {
        // Gives the message port its Node.js methods. Imported above, it would be left out of the bundle: nothing is used.
        await import("node:worker_threads");
        thread = await startServing(data.shared, remotePublisher(data.publishing), data.meters);
        post(self, { kind: "ready", port: thread.port });
      } catch (error) {
        post(self, { kind: "failed", message: messageOf(error) });
      }
    } else if (data.kind === "present") {
      const error = await thread?.present().then(
        () => null,
        (reason: Error) => reason.message,
      );
      post(self, { kind: "presented", error: error ?? null });
    } else if (data.kind === "ask") {
      post(self, { kind: "answered" });
    } else if (data.kind === "drain") {
      await thread?.drain();
      post(self, { kind: "drained" });
    }
  });
}

/** One thread that answers requests. */
interface ServingThread {
  readonly port: number;
  /** Loads the certificates anew and presents them from the next connection on. */
  present(): Promise<void>;
  /** Takes no new connections, lets running requests finish, and gives everything back. */
  drain(): Promise<void>;
}

/** Opens this thread's own store and listener. Throws where the address cannot be had. */
async function startServing(
  { config, generation, clockShift, throttles }: Shared,
  publisher: Publisher,
  meters: MeterSlots,
): Promise<ServingThread> {
  collectWhenIdle();
  const folder = dataFolder(config.dataDir);
  const log = stderrLog(config.log);
  const report = (error: unknown) => log.error("a request failed", error);
  const store = openSqliteStore(folder.database, generation);
  const blobs = openFilesystemBlobs(folder.content);
  const clock = shiftedClock(clockShift);
  const watching = watchRequests(config, clock, meters);
  const parts = { config, folder, store, blobs, clock, report };

  const views = recordViews(store, clock, log);
  const { serve, explain, siteForHost } = composeHosting({ ...parts, watching, recorder: views.recorder });
  const apiThrottle = throttleOf(throttles.api, clock);
  const api = whenAsked({ ...parts, publisher, siteForHost, explain, throttle: apiThrottle });
  const visits = throttleOf(throttles.visit, clock);
  const site = visits ? throttleVisits(serve, visits) : serve;

  const listeners = await openListeners({
    config,
    store,
    clock,
    isRouted: async (host) => (await siteForHost(host)) !== null,
    report,
    observed: watching.observed,
    fetch: dispatchAs(config, { api, site }),
  });

  return {
    port: listeners.port,
    present: listeners.present,
    async drain() {
      await listeners.stop();
      await views.stop();
      watching.stop();
      store.close();
    },
  };
}

/** The API is loaded at the first request that needs it: a thread that serves sites alone never pays for it. */
function whenAsked(parts: ApiParts): ApiHandler {
  let api: Promise<ApiHandler> | null = null;
  const load = async () => (await import("./api.ts")).composeApi(parts);
  return async (request, connection) => {
    api ??= load();
    return (await api)(request, connection);
  };
}

function dispatchAs(config: Config, handlers: Handlers): ListenOptions["fetch"] {
  return makeDispatch({
    baseHosts: baseHosts(config.baseUrl),
    trust: proxyTrust(config.trustedProxies),
    encrypted: config.tls !== "off",
    maxUrlLength: config.maxUrlLength,
    uploadIdleTimeout: config.uploadIdleTimeout,
    handlers,
  });
}

function post(self: Worker, answer: Answer): void {
  self.postMessage(answer);
}
