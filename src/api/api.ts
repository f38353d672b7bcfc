import { makeListChanges } from "../domain/deployments/changes.ts";
import type { Connection } from "../domain/ports/connection.ts";
import { pathStart, targetOf } from "../domain/request-target.ts";
import { ISOLATED } from "../serving/http/resource-policy.ts";
import { makeSummaryOf } from "./audit.ts";
import { compressed } from "./compressed.ts";
import { attachConnection, requestIsWhole } from "./connection.ts";
import { mount, notFoundOrMethodNotAllowed } from "./mount.ts";
import { dashboardPage, isNavigation, respondToUser } from "./navigation.ts";
import { redirect } from "./pages/page.ts";
import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import { discardBody } from "./upload.ts";

/** Handles a request for the base host. Never throws. */
export type ApiHandler = (request: Request, connection: Connection) => Promise<Response>;

/** Tells the command-line client that it may be older or newer. */
const VERSION_HEADER = "Vitrine-Version";

/** Returns the handler of the base host with these routes: the API, its documents, the sign-in pages, and the dashboard. */
export function makeApi(routes: readonly Route[], ports: ApiPorts): ApiHandler {
  const enabled = ports.admin ? routes : routes.filter(({ auth }) => auth !== "operator");
  const app = mount(enabled, { ...ports, summaryOf: makeSummaryOf(routes), listChanges: makeListChanges(ports) });
  return async (request, connection) => {
    const routed = routable(request);
    attachConnection(routed, connection);
    if (!routed.body) requestIsWhole(routed);
    const isPerson = isNavigation(routed);
    const shown = isPerson && routed.method === "GET" ? dashboardPage(new URL(routed.url)) : null;
    if (shown !== null) return finish(routed, redirect(shown));
    const response = isDeleteWithoutId(routed) ? notFoundOrMethodNotAllowed(enabled, routed) : await app.handle(routed);
    if (response.status >= 400 && connection.secure) await discardBody(routed, ports);
    const sent = isPerson ? await respondToUser(routed, response) : await compressed(routed, response);
    sent.headers.set(VERSION_HEADER, ports.version.version);
    return finish(routed, request.method === "HEAD" ? endStream(sent) : sent);
  };
}

/**
 * Elysia looks for the path from the twelfth character of the URL on, and a host of three letters ends before that. It
 * does not route HEAD. The listener sends the response to a HEAD request without its body. A range applies to GET only
 * (RFC 9110, section 14.2).
 */
function routable(request: Request): Request {
  const isHead = request.method === "HEAD";
  const isFound = pathStart(request.url) >= 11;
  if (!isHead && isFound) return request;
  const url = isFound ? request.url : `http://localhost${targetOf(request.url)}`;
  const routed = new Request(url, new Request(request, { method: isHead ? "GET" : request.method }));
  if (isHead) routed.headers.delete("range");
  return routed;
}

/** Elysia ignores a trailing slash. A DELETE with a missing id would delete the collection. */
function isDeleteWithoutId({ method, url }: Request): boolean {
  return method === "DELETE" && new URL(url).pathname.endsWith("/");
}

/** The listener drops the body of a response to HEAD unread, so an event stream would stay open. */
function endStream(response: Response): Response {
  if (response.headers.get("content-type") !== "text/event-stream") return response;
  void response.body?.cancel();
  return new Response(null, { headers: response.headers });
}

/** Sets the headers of every response: no sniffing, nothing for other origins, and no caching unless the route allows it. */
function finish(request: Request, response: Response): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(ISOLATED)) headers.set(name, value);
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (!headers.has("X-Frame-Options")) headers.set("X-Frame-Options", "DENY");
  // A request may be refused before its whole body was read. The rest must not be parsed as the next request.
  if (response.status >= 400 && request.body) headers.set("Connection", "close");
  return response;
}
