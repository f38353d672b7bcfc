import { writeZip } from "../adapters/archive/zip/write.ts";
import { openFilesystemBlobs } from "../adapters/blobs/filesystem.ts";
import { type ClockShift, shiftedClock } from "../adapters/clock.ts";
import { createPasswords } from "../adapters/identity/local/passwords.ts";
import { stderrLog } from "../adapters/log.ts";
import { systemSecrets } from "../adapters/secrets.ts";
import { filesystemSpool } from "../adapters/spool/filesystem.ts";
import type { GenerationCell } from "../adapters/store/sqlite/generation.ts";
import { openSqliteStore } from "../adapters/store/sqlite/store.ts";
import type { Config } from "../config.ts";
import type { Unpacker } from "../domain/ports/archive.ts";
import { SECOND } from "../domain/timestamp.ts";
import { makeViewRecorder } from "../domain/views/record-views.ts";
import { countViews } from "../hosting/count-views.ts";
import { makeGate } from "../hosting/gate.ts";
import type { HostingOptions, HostingPorts } from "../hosting/ports.ts";
import { makeServe } from "../hosting/serve.ts";
import { makeSiteForHost } from "../hosting/site-for-host.ts";
import { type ApiHandler, makeApi } from "../http/api.ts";
import { makeLinks } from "../http/links.ts";
import { proxyTrust } from "../server/client-address.ts";
import { makeDispatch } from "../server/dispatch.ts";
import { baseHosts } from "../server/host.ts";
import { claimPorts } from "./claims.ts";
import { dataFolder } from "./data-folder.ts";
import { healthCheck } from "./health.ts";
import { identityProvider } from "./identity.ts";
import { openListeners } from "./listeners.ts";
import { uploadLimits } from "./unpacking.ts";
import { VERSION } from "./version.ts";

/** A crash loses at most ten seconds of views; half of that leaves time for a slow disk. */
const VIEW_INTERVAL = 5 * SECOND;

/** What the threads of one appliance share; all of it can be posted to a thread. */
export interface Shared {
  readonly config: Config;
  readonly generation: GenerationCell;
  readonly clockShift: ClockShift;
}

/** One thread that answers requests. */
export interface ServingThread {
  readonly port: number;
  /** Loads the certificates anew and presents them from the next connection on. */
  present(): Promise<void>;
  /** Takes no new connections, lets running requests finish, and gives everything back. */
  drain(): Promise<void>;
}

/** Opens this thread's own store and listener. Throws where the address cannot be had. */
export async function startServing(
  { config, generation, clockShift }: Shared,
  unpacker: Unpacker,
): Promise<ServingThread> {
  const folder = dataFolder(config.dataDir);
  const log = stderrLog(config.log);
  const store = openSqliteStore(folder.database, generation);
  const blobs = openFilesystemBlobs(folder.content);
  const report = (error: unknown) => log.error("a request failed", error);

  const passwords = createPasswords();
  const clock = shiftedClock(clockShift);
  const recorder = makeViewRecorder({ store, clock, secrets: systemSecrets });
  const writeViews = () => recorder.flush().catch((error) => log.error("views were not written yet", error));
  const viewTimer = setInterval(writeViews, VIEW_INTERVAL);
  const gate = makeGate({ store, clock, secrets: systemSecrets }, config.baseUrl);
  const hosting: HostingPorts = { store, blobs, clock, gate, views: countViews(recorder) };
  const hostingOptions: HostingOptions = {
    sitesDomain: config.sitesDomain,
    scheme: new URL(config.baseUrl).protocol.slice(0, -1),
    cacheBytes: config.cacheBytes / config.workers,
  };
  const siteForHost = makeSiteForHost(hosting, hostingOptions);

  // Made at the first request that needs it: a thread that serves sites alone never pays for the API.
  let api: ApiHandler | null = null;
  const makeThisApi = () =>
    makeApi({
      store,
      unpacker,
      spool: filesystemSpool(folder.spool),
      checkHealth: healthCheck(store, folder, performance),
      provider: identityProvider(config, store.users, passwords),
      passwords,
      signup: config.signup,
      siteForHost: async (host) => siteForHost(host),
      sleep: Bun.sleep,
      claims: claimPorts(config, store, clock),
      clock,
      secrets: systemSecrets,
      limits: uploadLimits(config),
      exportArchive: (manifest) => writeZip(manifest.files, blobs),
      links: makeLinks(config.baseUrl, config.sitesDomain),
      version: VERSION,
      report,
    });

  const listeners = await openListeners({
    config,
    store,
    clock,
    isRouted: async (host) => (await siteForHost(host)) !== null,
    report,
    fetch: makeDispatch({
      baseHosts: baseHosts(config.baseUrl),
      trust: proxyTrust(config.trustedProxies),
      encrypted: config.tls !== "off",
      handlers: {
        api: (request, connection) => {
          api ??= makeThisApi();
          return api(request, connection);
        },
        site: makeServe(hosting, hostingOptions),
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
      store.close();
    },
  };
}
