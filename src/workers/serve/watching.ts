import type { Config } from "../../config/settings.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { accessLog, lineWriter, logRequests, type Observer, observed } from "../../serving/access-log.ts";
import { proxyTrust } from "../../serving/connection.ts";
import { baseHosts, parseHost } from "../../serving/host.ts";
import { type MeterSlots, RequestMeters } from "../../serving/metrics.ts";
import type { HostingPorts, ViewCounter } from "../../serving/ports.ts";
import type { ListenOptions } from "../../serving/tls/listen.ts";

/** The interval at which a thread measures the delay of its event loop. */
const LAG_SAMPLE_INTERVAL_MS = 1000;

const STDERR = 2;

type HostedContent = HostingPorts["content"];

/** Observation of the requests of one thread: the access log and metrics. */
export interface Watching {
  observed(fetch: ListenOptions["fetch"]): ListenOptions["fetch"];
  measured(views: ViewCounter): ViewCounter;
  /** Wraps the content of sites, so that every read counts as a cache miss. */
  measuredContent(content: HostedContent): HostedContent;
  /** Counts content from the cache. */
  readonly countHit: () => void;
  /** Writes the buffered lines. */
  stop(): Promise<void>;
}

export function watchRequests(config: Config, clock: Clock, slots: MeterSlots): Watching {
  const log = logging(config, clock);
  const meters = config.metricsListen === null && !config.admin ? null : new RequestMeters(slots);
  const lagTimer = meters && setInterval(lateness(meters), LAG_SAMPLE_INTERVAL_MS);
  const own = baseHosts(config.baseUrl);
  const observers: Observer[] = log ? [log.observer] : [];
  if (meters) {
    observers.push({
      readsPeer: false,
      observe(request, _peer, status, duration) {
        const host = parseHost(request.headers.get("host"));
        meters.responded(host === null || own.has(host) ? "api" : "site", status, duration / 1000);
      },
    });
  }
  return {
    observed: (fetch) => observed(fetch, observers),
    measured: (views) => (meters ? measuredViews(views, meters) : views),
    measuredContent: (content) => (meters ? measuredContent(content, meters) : content),
    countHit: meters ? () => meters.hit() : () => {},
    async stop() {
      if (lagTimer) clearInterval(lagTimer);
      await log?.close();
    },
  };
}

function measuredViews(views: ViewCounter, meters: RequestMeters): ViewCounter {
  return {
    count(visit, seen, bytes) {
      meters.sent(bytes);
      views.count(visit, seen, bytes);
    },
  };
}

function measuredContent(content: HostedContent, meters: RequestMeters): HostedContent {
  return {
    open: content.open,
    read(digest, span) {
      if (!span) meters.missed();
      return content.read(digest, span);
    },
  };
}

function logging(config: Config, clock: Clock): { observer: Observer; close(): Promise<void> } | null {
  if (config.log === "off" || config.logLevel !== "info") return null;
  const lines = lineWriter(STDERR);
  const write = accessLog(config.log, config.logAddresses, lines.write);
  const trust = proxyTrust(config.trustedProxies);
  const observer = logRequests(write, { trust, clock, readsPeer: config.logAddresses !== "off" });
  return { observer, close: lines.close };
}

/** Returns a function that records by how much each timer of the thread was late. */
function lateness(meters: RequestMeters): () => void {
  let due = performance.now() + LAG_SAMPLE_INTERVAL_MS;
  return () => {
    meters.late(Math.max(0, performance.now() - due) / 1000);
    due = performance.now() + LAG_SAMPLE_INTERVAL_MS;
  };
}
