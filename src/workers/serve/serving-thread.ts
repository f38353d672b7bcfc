import type { ApiHandler } from "../../api/api.ts";
import type { ApiParts } from "../../app/api.ts";
import { shiftedClock } from "../../app/clock.ts";
import { composeHosting } from "../../app/hosting.ts";
import { openListeners } from "../../app/listeners.ts";
import { stderrLog } from "../../app/log.ts";
import { throttleOf } from "../../app/rates.ts";
import { recordViews } from "../../app/views.ts";
import { watchRequests } from "../../app/watching.ts";
import type { Config } from "../../config/settings.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Publisher } from "../../domain/ports/publisher.ts";
import { proxyTrust } from "../../serving/client-address.ts";
import { type Handlers, makeDispatch } from "../../serving/dispatch.ts";
import { baseHosts } from "../../serving/host.ts";
import type { MeterSlots } from "../../serving/request-meters.ts";
import { throttleVisits } from "../../serving/throttle-visits.ts";
import type { ListenOptions } from "../../serving/tls/listen.ts";
import { openFilesystemBlobs } from "../../storage/content/filesystem/filesystem.ts";
import { dataFolder } from "../../storage/data-folder/data-folder.ts";
import { openSqliteStore } from "../../storage/sqlite/store.ts";
import { remotePublisher } from "../publish/publisher.ts";
import type { Shared } from "../shared.ts";
import { collectWhenIdle } from "./idle-collection.ts";
import type { Answer, Order } from "./messages.ts";

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
      await thread?.drain(data.delay);
      post(self, { kind: "drained" });
    }
  });
}

/** One thread that answers requests. */
interface ServingThread {
  readonly port: number;
  /** Loads the certificates anew and presents them from the next connection on. */
  present(): Promise<void>;
  /** Is not ready for so long, then takes no new connections, lets running requests finish, and gives everything back. */
  drain(delay: number): Promise<void>;
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
  let isDraining = false;
  const takesVisits = () => !isDraining;
  const api = whenAsked({ ...parts, publisher, siteForHost, explain, throttle: apiThrottle, takesVisits });
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
    async drain(delay) {
      isDraining = true;
      if (delay > 0) await Bun.sleep(delay);
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
  const load = async () => (await import("../../app/api.ts")).composeApi(parts);
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
