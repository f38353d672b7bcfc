import type { Server } from "bun";
import type { Config } from "../../config/settings.ts";
import { fileFailure } from "../../domain/disk-error.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { baseHosts } from "../../serving/host.ts";
import { ISOLATED } from "../../serving/http/resource-policy.ts";
import { respondToOwnPath } from "../../serving/own-paths.ts";
import { makeHttpPort } from "../../serving/tls/http-port.ts";
import { type ListenOptions, listen } from "../../serving/tls/listen.ts";
import { type RotatingListener, rotatingListener } from "../../serving/tls/rotating-listener.ts";
import type { TlsSet } from "../../serving/tls/tls.ts";
import { loadTlsSet } from "./tls.ts";

interface Ports {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  /** Returns whether the host belongs to a site. */
  isRouted(host: string): Promise<boolean>;
  readonly fetch: ListenOptions["fetch"];
  /** Adds the access log and the metrics to a handler. */
  observed(fetch: ListenOptions["fetch"]): ListenOptions["fetch"];
  /** Logs an error that prevented a response. */
  readonly report: (error: unknown) => void;
}

/** The sockets of one thread. */
interface Listeners {
  readonly port: number;
  /** Reloads the certificates and presents them from the next connection on. */
  present(): Promise<void>;
  /** Refuses new connections; resolves when the last running request has ended. */
  stop(): Promise<void>;
}

/** Opens the listener, with TLS if it is on, and the plain HTTP port if there is one. */
export async function openListeners(ports: Ports): Promise<Listeners> {
  const { config, store, fetch, observed, report } = ports;
  const address = {
    ...config.listen,
    idleTimeout: config.idleTimeout,
    http2: config.http2,
    fetch: observed(fetch),
    respondToFailure: makeRespondToFailure(report),
  };
  let set = await loadTlsSet(config, store);
  const main = set === null ? plainListener(address) : rotatingListener(address, set);
  const http = openHttpPort(ports, () => set);
  return {
    port: main.port,
    async present() {
      set = await loadTlsSet(config, store);
      if (set !== null) await main.present(set);
    },
    async stop() {
      await Promise.all([main.stop(), http?.stop()]);
    },
  };
}

// --- internal ---

function plainListener(options: ListenOptions): RotatingListener {
  const server = listen(options);
  return { port: server.port ?? options.port, present: async () => {}, stop: () => server.stop() };
}

function openHttpPort(ports: Ports, currentSet: () => TlsSet | null): Server<undefined> | null {
  const { config, observed, report } = ports;
  if (config.httpListen === null) return null;
  const own = baseHosts(config.baseUrl);
  const response = makeHttpPort({
    respondToOwn: (path) => respondToOwnPath(ports, path),
    isBase: (host) => currentSet() !== null && own.has(host),
    async leadsToHttps(host) {
      if (!currentSet()?.covers(host)) return false;
      return own.has(host) || ports.isRouted(host);
    },
    httpsPort: Number(new URL(config.baseUrl).port || 443),
    maxUrlLength: config.maxUrlLength,
  });
  return listen({
    ...config.httpListen,
    idleTimeout: config.idleTimeout,
    fetch: observed(response),
    respondToFailure: makeRespondToFailure(report),
  });
}

/** Large files are sent without JavaScript. An error while opening one appears only after the response has started. */
function makeRespondToFailure(report: (error: unknown) => void): ListenOptions["respondToFailure"] {
  return (error) => {
    report(error);
    const known = fileFailure(error, "the content store");
    if (!(known instanceof DomainError) || known.kind !== "unavailable") {
      return Response.json({ detail: "internal error" }, { status: 500, headers: ISOLATED });
    }
    const headers = { ...ISOLATED, "Retry-After": String(known.extra.retryAfter ?? 1) };
    return Response.json({ detail: known.detail }, { status: 503, headers });
  };
}
