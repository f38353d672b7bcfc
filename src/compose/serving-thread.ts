import { remotePublisher } from "../adapters/archive/publisher.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { shiftedClock } from "../adapters/clock.ts";
import { stderrLog } from "../adapters/log.ts";
import { systemSecrets } from "../adapters/secrets.ts";
import { openSqliteStore } from "../adapters/store/sqlite/store.ts";
import type { Publisher } from "../domain/ports/publisher.ts";
import { SECOND } from "../domain/timestamp.ts";
import { makeViewRecorder } from "../domain/views/record-views.ts";
import { countViews } from "../hosting/count-views.ts";
import { makeGate } from "../hosting/gate.ts";
import { makeHosting } from "../hosting/hosting.ts";
import type { HostingPorts } from "../hosting/ports.ts";
import { splitTarget } from "../hosting/request-path.ts";
import { throttleVisits } from "../hosting/throttle-visits.ts";
import type { ApiHandler } from "../http/api.ts";
import { proxyTrust } from "../server/client-address.ts";
import { makeDispatch } from "../server/dispatch.ts";
import { baseHosts } from "../server/host.ts";
import type { MeterSlots } from "../server/request-meters.ts";
import { dataFolder } from "./data-folder.ts";
import { collectWhenIdle } from "./idle-collection.ts";
import { answerOwn, openListeners } from "./listeners.ts";
import { throttleOf } from "./rates.ts";
import type { Shared } from "./shared.ts";
import type { Answer, Order } from "./thread-messages.ts";
import { watchRequests } from "./watching.ts";

/** A crash loses at most ten seconds of views; half of that leaves time for a slow disk. */
const VIEW_INTERVAL = 5 * SECOND;

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
        post(self, { kind: "failed", message: (error as Error).message });
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
  const folder = dataFolder(config.dataDir);
  const log = stderrLog(config.log);
  const store = openSqliteStore(folder.database, generation);
  const blobs = openFilesystemBlobs(folder.content);
  const report = (error: unknown) => log.error("a request failed", error);

  collectWhenIdle();
  const clock = shiftedClock(clockShift);
  const recorder = makeViewRecorder({ store, clock, secrets: systemSecrets, pause: () => Bun.sleep(0) });
  const writeViews = () => recorder.flush().catch((error) => log.error("views were not written yet", error));
  const viewTimer = setInterval(writeViews, VIEW_INTERVAL);
  const gate = makeGate({ store, clock, secrets: systemSecrets }, config.baseUrl);
  const watching = watchRequests(config, clock, meters);
  const views = watching.measured(countViews(recorder));
  const ports: HostingPorts = { store, blobs: watching.measuredContent(blobs), clock, gate, views, report };
  const { serve, explain, siteForHost } = makeHosting(ports, {
    sitesDomain: config.sitesDomain,
    scheme: new URL(config.baseUrl).protocol.slice(0, -1),
    cacheBytes: config.cacheBytes / config.workers,
  });
  const visits = throttleOf(throttles.visit, clock);

  // Loaded at the first request that needs it: a thread that serves sites alone never pays for the API.
  let api: Promise<ApiHandler> | null = null;
  const loadApi = async () => {
    const { composeApi } = await import("./api.ts");
    const throttle = throttleOf(throttles.api, clock);
    return composeApi({ config, folder, store, blobs, clock, publisher, siteForHost, explain, throttle, report });
  };

  const listeners = await openListeners({
    config,
    store,
    clock,
    isRouted: async (host) => (await siteForHost(host)) !== null,
    report,
    observed: watching.observed,
    fetch: makeDispatch({
      baseHosts: baseHosts(config.baseUrl),
      trust: proxyTrust(config.trustedProxies),
      encrypted: config.tls !== "off",
      maxUrlLength: config.maxUrlLength,
      uploadIdleTimeout: config.uploadIdleTimeout,
      handlers: {
        api: async (request, connection) => {
          const own = answerOwn(ports, splitTarget(request.url).path);
          if (own !== null) return own;
          api ??= loadApi();
          return (await api)(request, connection);
        },
        site: visits ? throttleVisits(serve, visits) : serve,
      },
    }),
  });

  return {
    port: listeners.port,
    present: listeners.present,
    async drain() {
      await listeners.stop();
      clearInterval(viewTimer);
      await writeViews();
      watching.stop();
      store.close();
    },
  };
}

function post(self: Worker, answer: Answer): void {
  self.postMessage(answer);
}
