import type { Server } from "bun";
import { ENTER_PATH } from "../domain/access/visit.ts";
import type { ExplainVisit } from "../domain/deployments/visit-explanation.ts";
import type { Connection, Visitor } from "../domain/ports/connection.ts";
import { addressSubject } from "../domain/rate-limit.ts";
import { ownAddress } from "../domain/request-target.ts";
import { makeBodies, makeContentFor } from "./bodies.ts";
import { Cache, type ContentCache } from "./cache.ts";
import { CachedRoutes } from "./cached-routes.ts";
import { type ConnectionOptions, RequestConnection } from "./connection.ts";
import { makeServedDeployments } from "./deployments.ts";
import { type DispatchOptions, dispatch } from "./dispatch.ts";
import { makeExplainVisit } from "./explain-visit.ts";
import { type Lookup, makeLookup } from "./lookup.ts";
import { respondToOwnAddress } from "./own-addresses.ts";
import { absentPage, frozenSite, tooManyVisits, unknownHost } from "./pages/error-page.ts";
import type { HostingOptions, HostingPorts, Route } from "./ports.ts";
import { makeRespond, type Respond, respondToFailure, respondToOtherMethod } from "./respond.ts";
import { makeSiteForHost, type SiteForHost } from "./site-for-host.ts";
import { afterBody } from "./skip-body.ts";
import { SiteVisit, whenReady } from "./visit.ts";

export interface PipelineOptions extends ConnectionOptions, DispatchOptions {
  /** The `Strict-Transport-Security` field at the base address; null where it has none. */
  readonly strictTransport: string | null;
  /** Responds for the base host: API and dashboard. */
  api(request: Request, connection: Connection): MaybePromise<Response>;
  readonly serve: Serve;
}

/** Returns the handler of the listener: it checks the host and passes the request to the API or to the sites. */
export function makePipeline(options: PipelineOptions) {
  const { api, serve, strictTransport } = options;
  return (request: Request, server: Server<undefined>): MaybePromise<Response> => {
    const connection = new RequestConnection(request, server, options);
    const target = dispatch(request, options);
    if (target.kind !== "api") {
      const response = target.kind === "refused" ? target.response : serve(request, target.host, connection);
      // Bun gives a GET or HEAD no body, and looking for one costs more than the method.
      return isRead(request) ? response : afterBody(request, connection, response);
    }
    connection.remember();
    // The API knows which bodies it reads, and skips the others itself.
    const response = api(target.request, connection);
    // The field has no meaning over plain HTTP (RFC 6797 section 7.2).
    if (strictTransport === null || target.isProbe || !connection.secure) return response;
    return withField(response, "strict-transport-security", strictTransport);
  };
}

/** Responds to a visitor; `host` is in lower case, without port and trailing dot. Never rejects. */
export type Serve = (request: Request, host: string, visitor: Visitor) => MaybePromise<Response>;

interface Layers {
  readonly ports: HostingPorts;
  readonly siteForHost: SiteForHost;
  readonly lookup: Lookup;
  readonly respond: Respond;
}

/** Returns the layers of a visit, in order. What is cached passes them without waiting. */
function makeServe({ ports, siteForHost, lookup, respond }: Layers): Serve {
  const { gate, throttle, views, report } = ports;

  const serveVisit = (visit: SiteVisit): MaybePromise<Response> =>
    whenReady(checkAccess(visit), (refusal) => {
      if (refusal !== null) return hiddenFromSearch(visit, refusal);
      const { absent } = visit.route;
      if (absent !== null) return absentPage(visit.request, visit.route, absent);
      if (!isRead(visit.request)) return respondToOtherMethod(visit, lookup);
      const found = lookup.cached(visit) ?? lookup.resolve(visit);
      return whenReady(found, (found) => whenReady(respond(visit, found), (response) => count(visit, response)));
    });

  const checkAccess = (visit: SiteVisit): MaybePromise<Response | null> => {
    if (visit.route.frozen) return frozenSite(visit.request);
    if (!visit.route.private && visit.path !== ENTER_PATH) return null;
    return gate.check(visit.request, visit.route, visit.visitor);
  };

  const count = (visit: SiteVisit, response: Response): Response => {
    if (visit.seen !== null && visit.request.method === "GET") views.count(visit, visit.seen, visit.bytes);
    return response;
  };

  const failingSafely = (request: Request, route: Route | null, run: () => MaybePromise<Response>) => {
    const fail = (error: unknown) => respondToFailure(report, request, route, error);
    try {
      const response = run();
      return response instanceof Promise ? response.catch(fail) : response;
    } catch (error) {
      return fail(error);
    }
  };

  return (request, host, visitor) => {
    const own = ownAddress(request.url);
    if (own !== null) return respondToOwnAddress(ports, own);
    const wait = throttle?.take(addressSubject(visitor.address)) ?? 0;
    if (wait > 0) return tooManyVisits(request, wait);
    return failingSafely(request, null, () =>
      whenReady(siteForHost(host), (route) => {
        if (route === null) return unknownHost(request);
        return failingSafely(request, route, () => serveVisit(new SiteVisit(request, visitor, route)));
      }),
    );
  };
}

/** Everything that one thread needs for hosted sites, over one cache. */
export interface Hosting {
  readonly serve: Serve;
  readonly explain: ExplainVisit;
  readonly siteForHost: SiteForHost;
}

/**
 * This part of the cache's memory is left free, for what was evicted and not yet collected, and for what allocators keep:
 * a fifth, but no more than that is of 64 MiB. Measured with 64 and 256 MiB under a hundred thousand files drawn by Zipf's
 * law.
 */
const FREE_SHARE = 0.2;
const MAX_FREE = 12 * 1024 * 1024;

/** Rules have a cache of their own: compiling them takes up to 10 ms, and no number of visited files evicts them. */
const RULES_SHARE = 0.05;

/** Returns hosting with a cache of `cacheBytes`. */
export function makeHosting(ports: HostingPorts, options: HostingOptions): Hosting {
  const memory = options.cacheBytes - Math.min(options.cacheBytes * FREE_SHARE, MAX_FREE);
  const routes = new CachedRoutes(ports.store);
  const siteForHost = makeSiteForHost(ports, routes, options);
  const deployments = makeServedDeployments(ports, memory * RULES_SHARE);
  const cache: ContentCache = new Cache(memory * (1 - RULES_SHARE));
  const lookup = makeLookup({ ...ports, deployments, routes, cache }, options);
  const bodies = makeBodies(ports.content, cache, ports.countHit);
  const respond = makeRespond({ bodies, contentFor: makeContentFor(bodies, ports.report) });
  return {
    siteForHost,
    serve: makeServe({ ports, siteForHost, lookup, respond }),
    explain: makeExplainVisit({ ...ports, siteForHost, deployments, bodies }, options),
  };
}

// --- internal ---

type MaybePromise<Value> = Value | Promise<Value>;

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** Only the live host of a site belongs into search engines. */
function hiddenFromSearch({ route }: SiteVisit, response: Response): Response {
  if (!route.isLive) response.headers.set("x-robots-tag", "noindex");
  return response;
}

async function withField(early: MaybePromise<Response>, name: string, value: string): Promise<Response> {
  const response = await early;
  response.headers.set(name, value);
  return response;
}
