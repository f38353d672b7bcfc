import type { Server } from "bun";
import { ENTER_PATH } from "../domain/access/visit.ts";
import { addressSubject } from "../domain/limits/rate-limit.ts";
import type { Connection, Visitor } from "../domain/ports/connection.ts";
import { targetOf } from "../domain/request-target.ts";
import { type ConnectionOptions, RequestConnection } from "./connection.ts";
import { type DispatchOptions, dispatch, type Target } from "./dispatch.ts";
import type { Lookup } from "./lookup.ts";
import { absentPage, errorPage, frozenSite, tooManyVisits, unknownHost } from "./pages/error-page.ts";
import type { HostingOptions, HostingPorts, Route } from "./ports.ts";
import { type Respond, type Responded, respondToFailure, respondToOtherMethod } from "./respond.ts";
import type { SiteForHost } from "./site-for-host.ts";
import { afterBody } from "./skip-body.ts";
import { SiteVisit, whenReady } from "./visit.ts";

interface PipelineOptions extends ConnectionOptions, DispatchOptions {
  /** The `Strict-Transport-Security` field at the base URL; null for none. */
  readonly strictTransport: string | null;
  /** Responds for the base host: API and dashboard. */
  api(request: Request, connection: Connection): MaybePromise<Response>;
  /** Responds at a path of the server itself. */
  respondToOwn(path: string): Promise<Response>;
  readonly serve: Serve;
}

/** Returns the listener's handler, which checks the host and passes the request to the API or to the sites. */
export function makePipeline(options: PipelineOptions) {
  const { api, respondToOwn, serve, strictTransport } = options;

  const respondOutsideApi = (target: Exclude<Target, { kind: "api" }>, request: Request, connection: Connection) => {
    if (target.kind === "refused") return target.response;
    if (target.kind === "own") return respondToOwn(target.path);
    return serve(request, target.host, connection);
  };

  return (request: Request, server: Server<undefined>): MaybePromise<Response> => {
    const connection = new RequestConnection(request, server, options);
    const target = dispatch(request, options);
    if (target.kind !== "api") {
      const response = respondOutsideApi(target, request, connection);
      // Bun gives a GET or HEAD no body, and checking for one costs more than checking the method.
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

/** Dependencies of the layers of a visit. */
interface Layers {
  readonly ports: HostingPorts;
  readonly siteForHost: SiteForHost;
  readonly lookup: Lookup;
  readonly respond: Respond;
  readonly options: Pick<HostingOptions, "scheme">;
}

/**
 * Returns the layers of a visit, in order:
 *
 * 1. `siteForHost`: the host's site and deployment, a `Route`
 *    A host of a renamed site redirects to the new one
 * 2. `gate`: access to a private site
 * 3. `lookup`: the path's `PreparedFile`, cached by URL, or another resolution of the deployment's rules
 * 4. `respond`: conditions and range, then the file's `Representation` in the negotiated encoding
 * 5. `bodies`: the bytes of the representation, cached by digest
 * 6. `views`: the statistics
 *
 * A cached response passes them synchronously.
 */
export function makeServe({ ports, siteForHost, lookup, respond, options }: Layers): Serve {
  const { gate, throttle, views, permit, report } = ports;

  const serveVisit = (visit: SiteVisit): MaybePromise<Response> =>
    whenReady(checkAccess(visit), (refusal) => {
      if (refusal !== null) return hiddenFromSearch(visit, refusal);
      const { absent } = visit.route;
      if (absent !== null) return absentPage(visit.request, visit.route, absent);
      if (!isRead(visit.request)) return respondToOtherMethod(visit, lookup);
      const found = lookup.cached(visit) ?? lookup.resolve(visit);
      return whenReady(found, (found) => whenReady(respond(visit, found), (responded) => count(visit, responded)));
    });

  const checkAccess = (visit: SiteVisit): MaybePromise<Response | null> => {
    if (visit.route.frozen) return frozenSite(visit.request);
    if (!visit.route.private && visit.path !== ENTER_PATH) return null;
    return gate.check(visit.request, visit.route, visit.visitor);
  };

  const count = (visit: SiteVisit, { response, seen, bytes }: Responded): Response => {
    if (seen !== null && visit.request.method === "GET") views.count(visit, seen, bytes);
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

  const serveHost: Serve = (request, host, visitor) =>
    failingSafely(request, null, () =>
      whenReady(siteForHost(host), (route) => {
        if (route === null) return unknownHost(request);
        if (route.movedTo !== null) return movedPermanently(request, options.scheme, route.movedTo);
        return failingSafely(request, route, () => serveVisit(new SiteVisit(request, visitor, route)));
      }),
    );

  return (request, host, visitor) => {
    const wait = throttle?.take(addressSubject(visitor.address)) ?? 0;
    if (wait > 0) return tooManyVisits(request, wait);
    if (permit === null || permit.isCurrent()) return serveHost(request, host, visitor);
    return whenReady(permit.obtain(), (may) => (may ? serveHost(request, host, visitor) : withoutDatabase(request)));
  };
}

// --- internal ---

type MaybePromise<Value> = Value | Promise<Value>;

/** The response of a node that has been without the database for so long that it may know too little. */
function withoutDatabase(request: Request): Response {
  return errorPage(request, 503, null, { "retry-after": "5" });
}

/** Redirects to the same path and query on another host, and on the same port. Also before the access check. */
function movedPermanently(request: Request, scheme: string, host: string): Response {
  const [port = ""] = /:\d+$/.exec(request.headers.get("host") ?? "") ?? [];
  const location = `${scheme}://${host}${port}${targetOf(request.url)}`;
  return new Response(null, { status: 308, headers: { Location: location, "Cache-Control": "no-cache" } });
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** Search engines show only the live host of a site. */
function hiddenFromSearch({ route }: SiteVisit, response: Response): Response {
  if (!route.isLive) response.headers.set("x-robots-tag", "noindex");
  return response;
}

async function withField(early: MaybePromise<Response>, name: string, value: string): Promise<Response> {
  const response = await early;
  response.headers.set(name, value);
  return response;
}
