import { Elysia } from "elysia";
import { DomainError } from "../domain/errors.ts";
import type { Connection } from "../domain/ports/connection.ts";
import { pathStart, targetOf } from "../domain/request-target.ts";
import { isChange, recordNotedChange } from "./audit.ts";
import { answeredBy } from "./change-notes.ts";
import { attachConnection, requestIsWhole } from "./connection.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { errorResponse } from "./errors.ts";
import { mount } from "./mount.ts";
import { answerForPerson, dashboardPage, isNavigation } from "./navigation.ts";
import { openApiRoute } from "./openapi/route.ts";
import { redirect } from "./pages/page.ts";
import type { ApiPorts } from "./ports.ts";
import { referenceRoutes } from "./reference/route.ts";
import { pageRoutes } from "./routes/pages.ts";
import { apiRoutes, routes } from "./routes.ts";
import { takePlainIntegers } from "./schemas/integer.ts";
import { discardBody } from "./upload.ts";

/** Answers a request of the base host. Never throws. */
export type ApiHandler = (request: Request, connection: Connection) => Promise<Response>;

/** Returns the handler of the base host: the API, its description, and the reference page. */
export function makeApi(ports: ApiPorts): ApiHandler {
  takePlainIntegers();
  const app = new Elysia()
    .onBeforeHandle({ as: "global" }, ({ request, route, params }) => answeredBy(request, route, params))
    .onError(({ error, code, request, route, params, query }) => {
      if (code === "NOT_FOUND") return notFoundOrMethodNotAllowed(app, request);
      const schemas = app.routes.find(({ method, path }) => method === request.method && path === route)?.hooks;
      return errorResponse(error, ports.report, { route, params, query, schemas });
    })
    .use(mount(routes, ports))
    .use(apiRoutes(ports))
    .use(openApiRoute(ports))
    .use(referenceRoutes(ports))
    .use(pageRoutes(ports))
    .use(dashboardRoutes());

  return async (request, connection) => {
    const routed = routable(request);
    attachConnection(routed, connection);
    if (!routed.body) requestIsWhole(routed);
    const isPerson = isNavigation(routed);
    const shown = isPerson && routed.method === "GET" ? dashboardPage(new URL(routed.url).pathname) : null;
    if (shown !== null) return finish(routed, redirect(shown));
    const response = hasTrailingSlash(routed) ? notFoundOrMethodNotAllowed(app, routed) : await app.handle(routed);
    if (response.status >= 400 && connection.secure) await discardBody(routed, ports);
    if (isChange(routed, response)) await recordNotedChange(ports, routed);
    return finish(routed, isPerson ? await answerForPerson(routed, response) : response);
  };
}

/**
 * Elysia looks for the path behind the eleventh character of the URL, which a host of three letters ends before; and it
 * knows no HEAD. The listener sends no body with the answer to a HEAD request, whatever it holds.
 */
function routable(request: Request): Request {
  const isHead = request.method === "HEAD";
  const isFound = pathStart(request.url) >= 11;
  if (!isHead && isFound) return request;
  const url = isFound ? request.url : `http://localhost${targetOf(request.url)}`;
  return new Request(url, new Request(request, { method: isHead ? "GET" : request.method }));
}

/**
 * Elysia takes an address with a slash behind it for the one without. Where an id was left out, that would delete all
 * that it is one of.
 */
function hasTrailingSlash({ method, url }: Request): boolean {
  return method === "DELETE" && new URL(url).pathname.endsWith("/");
}

/** 405 where another method would be answered, else 404. */
function notFoundOrMethodNotAllowed(app: Pick<Elysia, "routes">, request: Request): Response {
  const path = new URL(request.url).pathname;
  const matching = app.routes.filter((route) => matchesPath(route.path, path));
  const allowed = [...new Set(matching.map((route) => route.method))];
  if (allowed.length === 0) {
    return errorResponse(new DomainError("not_found", `there is nothing at ${path}`), () => {});
  }
  if (allowed.includes("GET")) allowed.push("HEAD");
  const detail = `method not allowed: ${path} takes ${allowed.join(", ")}`;
  return Response.json({ detail }, { status: 405, headers: { Allow: allowed.join(", ") } });
}

/** Whether a path fits a route's pattern, in which a segment such as `:name` stands for any one that is not empty. */
function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const segments = path.split("/");
  const fits = wanted.every((segment, at) =>
    segment.startsWith(":") ? segments[at] !== "" : segment === segments[at],
  );
  return wanted.length === segments.length && fits;
}

/** What every answer carries: nobody sniffs it, frames it, or keeps it unless the route said so. */
function finish(request: Request, response: Response): Response {
  const { headers } = response;
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (!headers.has("X-Frame-Options")) headers.set("X-Frame-Options", "DENY");
  // A refusal may come before the whole body was read: what then still arrives is no request.
  if (response.status >= 400 && request.body) headers.set("Connection", "close");
  return response;
}
