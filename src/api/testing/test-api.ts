import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "../../acceptance/testing/browser.ts";
import { camelCased, peopleOf, requestOf, type TestServer, uploadOf } from "../../acceptance/testing/test-server.ts";
import { unpackZip } from "../../archive/zip/unpack.ts";
import { ciIdTokens } from "../../clients/ci/id-tokens.ts";
import { newClockShift, shiftedClock } from "../../clients/system/clock.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { systemTimers } from "../../clients/system/timers.ts";
import { uploadLimits, userQuota } from "../../config/policies.ts";
import { type Config, loadConfig } from "../../config/settings.ts";
import { makeViewRecorder } from "../../domain/analytics/record-views.ts";
import { SCHEDULER_LEASE } from "../../domain/claims/capability.ts";
import { publishUnpacked } from "../../domain/deployments/deploy.ts";
import { makeEventStreams } from "../../domain/events/streams.ts";
import type { Connection } from "../../domain/ports/connection.ts";
import type { Publisher } from "../../domain/ports/publisher.ts";
import type { NodeDirectory } from "../../domain/ports/store/nodes.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { DAY, HOUR } from "../../domain/timestamp.ts";
import { baseHosts } from "../../serving/host.ts";
import { hasCharset } from "../../serving/http/content-type.ts";
import { newMeterSlots } from "../../serving/metrics.ts";
import { startPagesOf } from "../../serving/start-page.ts";
import { openFilesystemContent } from "../../storage/content/filesystem/filesystem.ts";
import { dataFolder } from "../../storage/folder/data-folder.ts";
import { copyEmptyDatabase, temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import type { Maintenance } from "../../workers/control.ts";
import { reportMaker } from "../../workers/encode/reports.ts";
import { composeApi } from "../../workers/serve/api.ts";
import { composeHosting } from "../../workers/serve/hosting.ts";
import { watchRequests } from "../../workers/serve/watching.ts";
import { ONLY_NODE } from "../../workers/shared.ts";
import { newStreamTable, sharedStreamSlots } from "../../workers/stream-table.ts";
import { newUploadTable, sharedUploads } from "../../workers/upload-table.ts";
import { makeLinks } from "../schemas/links.ts";

/** The API of one thread, with a database of its own, without threads, and without a listener until `listen` starts one. */
export interface TestApi
  extends Pick<
    TestServer,
    "baseUrl" | "siteUrl" | "call" | "deploy" | "visit" | "signUp" | "mintDeploymentToken" | "advance"
  > {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Config;
  /** Returns a new browser for the pages. */
  browser(): Browser;
  /** Lets programs on this machine ask the API. Returns the address, while URLs in responses keep the base URL. */
  listen(): string;
  /** Writes the counted views to the store. */
  flushViews(): Promise<void>;
  /** Makes all pending reports, like an encoding thread. */
  makeReports(): Promise<boolean>;
  /** Unexpected errors that were reported. */
  readonly reported: readonly unknown[];
  [Symbol.asyncDispose](): Promise<void>;
}

const BASE_URL = "http://localhost:8080";

/** Opens the API with `flags` as on the command line, and with other nodes if `nodes` is given. */
export async function openTestApi(
  flags: Record<string, string> = {},
  nodes: NodeDirectory | null = null,
): Promise<TestApi> {
  const dataDir = await mkdtemp(join(tmpdir(), "vitrine-api-"));
  const config = loadConfig({ flags: { dataDir, baseUrl: BASE_URL, log: "off", ...camelCased(flags) }, env: {} });
  const folder = dataFolder(dataDir);
  for (const place of [folder.content, folder.spool]) mkdirSync(place, { recursive: true });
  copyEmptyDatabase(folder.database);
  const store = { ...temporaryStore(folder.database), nodes };
  const content = openFilesystemContent(folder.content);
  const shift = newClockShift();
  const clock = shiftedClock(shift);
  await claimsAreChecked(store, clock);
  const reported: unknown[] = [];
  const parts = {
    config,
    folder,
    store,
    content,
    clock,
    throttle: null,
    permit: null,
    report: (error: unknown) => reported.push(error),
  };
  const recorder = makeViewRecorder({ store, clock, secrets: systemSecrets, pause: () => Bun.sleep(0) });
  const { explain, siteForHost, serve } = composeHosting({
    ...parts,
    watching: watchRequests(config, clock, newMeterSlots()),
    recorder,
  });
  const slots = sharedStreamSlots(newStreamTable());
  const eventStreams = makeEventStreams({ ...parts, slots, timers: systemTimers });
  const api = composeApi({
    ...parts,
    keptContent: content,
    maintenance: testMaintenance(),
    idTokens: ciIdTokens(config.ciIssuers ?? []),
    publisher: publisherOf(store, clock, config, folder.content),
    siteForHost,
    explain,
    uploads: sharedUploads(newUploadTable(), { count: config.maxUserUploads, bytes: config.maxUserUploadBytes }),
    eventStreams,
    node: ONLY_NODE,
    readiness: () => "ready",
  });

  const listeners: Bun.Server<undefined>[] = [];
  const siteUrl = makeLinks(config.baseUrl, config.sitesDomain).site;
  const ownHosts = baseHosts(config.baseUrl);
  const call: TestServer["call"] = (method, path, options = {}) =>
    api(new Request(config.baseUrl + path, requestOf(method, options)), CONNECTION);
  return {
    store,
    clock,
    config,
    browser: () =>
      new Browser(config.baseUrl, async ({ href, hostname }, init) => {
        const request = new Request(href, init);
        return ownHosts.has(hostname) ? api(request, CONNECTION) : serve(request, hostname, CONNECTION);
      }),
    visit: async (label, path = "/", init = {}) =>
      serve(new Request(siteUrl(label) + path, init), new URL(siteUrl(label)).hostname, CONNECTION),
    listen() {
      const fetch = (request: Request) => {
        const { pathname, search } = new URL(request.url);
        return api(new Request(config.baseUrl + pathname + search, request), CONNECTION);
      };
      const listener = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
      listeners.push(listener);
      return listener.url.origin;
    },
    flushViews: () => recorder.flush(),
    makeReports: reportMaker({ ...parts, node: ONLY_NODE, pause: async () => true }),
    reported,
    baseUrl: config.baseUrl,
    siteUrl,
    call,
    deploy: (token, archive, options) => call("POST", "/deploy", { token, ...uploadOf(archive, options) }),
    ...peopleOf(store, clock),
    advance(milliseconds) {
      shift[0] = (shift[0] ?? 0) + milliseconds;
    },
    async [Symbol.asyncDispose]() {
      for (const listener of listeners) await listener.stop(true);
      eventStreams.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

export const CONNECTION: Connection = {
  address: "127.0.0.1",
  country: null,
  secure: false,
  isMultiplexed: false,
  holdMemory: () => true,
  allowSlowBody() {},
  allowSlowResponse() {},
};

/** Returns the status of a response, and its `detail` if it is an error. */
export async function resultOf(response: Response): Promise<readonly [status: number, detail: string]> {
  const { detail = "" } = (await response.json()) as { detail?: string };
  return [response.status, detail];
}

// --- internal ---

/** Lets custom domains be claimed, which requires a running scheduler. */
async function claimsAreChecked({ jobs }: Store, clock: Clock): Promise<void> {
  const now = clock.now();
  await jobs.takeLease(SCHEDULER_LEASE, { holder: "test", now, until: now + DAY, longest: DAY });
}

/** The main thread's operations of a server with one job, which never runs. */
function testMaintenance(): Maintenance {
  const idle = { lastRunAt: null, lastDurationMs: null, lastError: null, nextRunAt: null, running: false };
  return {
    listJobs: async () => [{ name: "sweep", title: "Sweep unused content", every: HOUR, ...idle }],
    runJob: async (name) => (name === "sweep" ? "started" : "unknown"),
    examine: async () => ({ checkedAt: 0, findings: [] }),
  };
}

/** Publishes like the publishing threads, on this thread. */
function publisherOf(store: Store, clock: Clock, config: Config, root: string): Publisher {
  const ports = { store, quota: userQuota(config), clock, secrets: systemSecrets, startPages: startPagesOf(store) };
  const unpacking = {
    openContent: () => openFilesystemContent(root),
    isText: hasCharset,
    known: async () => new Set<string>(),
  };
  return {
    async publish(archive, permit, room) {
      const limits = uploadLimits(config);
      return publishUnpacked(ports, permit, await unpackZip(unpacking, { archive, limits, room }));
    },
  };
}
