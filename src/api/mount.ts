import { TypeGuard } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { DomainError } from "../domain/errors.ts";
import { requirePerson, requireSession } from "../domain/members/permission.ts";
import type { Caller } from "../domain/model/caller.ts";
import { requireOperator } from "../domain/model/operator.ts";
import { recordChange } from "./audit.ts";
import { callerIfAny, callerOf } from "./authenticate.ts";
import { readJson, readJsonOrForm } from "./body.ts";
import { errorResponse } from "./errors.ts";
import type { RoutePorts } from "./ports.ts";
import { Reply, type Route } from "./route.ts";
import { limitFromElsewhere } from "./same-origin.ts";
import { siteParameter } from "./schemas/sites.ts";
import { textValidator, validator } from "./validate.ts";

/** Elysia's data of a request, before validation. */
interface Incoming {
  readonly request: Request;
  readonly params: unknown;
  readonly query: unknown;
  readonly set: { status?: number | string; readonly headers: Record<string, string | number> };
}

/** Returns an app with the routes. Elysia routes and validates responses; requests are validated here. */
export function mount(routes: readonly Route[], ports: RoutePorts) {
  const app = new Elysia()
    .onRequest(({ request }) => limitFromElsewhere(request))
    .onError(({ error, code, request }) =>
      code === "NOT_FOUND" ? notFoundOrMethodNotAllowed(routes, request) : errorResponse(error, ports.report),
    );
  for (const route of routes) {
    const respond = responder(route, ports);
    app.route(
      route.method,
      route.path,
      ({ request, params, query, set }) => respond({ request, params, query, set } as Incoming),
      { parse: "none", response: { ...route.response } },
    );
  }
  return app;
}

/** 405 if the path exists with another method, otherwise 404. */
export function notFoundOrMethodNotAllowed(routes: readonly Route[], request: Request): Response {
  const path = new URL(request.url).pathname;
  const matching = routes.filter((route) => matchesPath(route.path, path));
  const allowed: string[] = [...new Set(matching.map((route) => route.method))];
  if (allowed.length === 0) {
    return errorResponse(new DomainError("not_found", `there is nothing at ${path}`), () => {});
  }
  if (allowed.includes("GET")) allowed.push("HEAD");
  const detail = `method not allowed: ${path} takes ${allowed.join(", ")}`;
  return Response.json({ detail }, { status: 405, headers: { Allow: allowed.join(", ") } });
}

/**
 * Returns whether a path matches a pattern, in which a segment such as `:name` matches any segment that is not empty.
 */
function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const segments = path.split("/");
  const fits = wanted.every((segment, at) =>
    segment.startsWith(":") ? segments[at] !== "" : segment === segments[at],
  );
  return wanted.length === segments.length && fits;
}

/**
 * The API contract defines the order of the checks: the credential before the body is read, and both before validation.
 */
function responder(route: Route, ports: RoutePorts): (incoming: Incoming) => Promise<unknown> {
  const validate = requestValidator(route);
  return async ({ request, params, query, set }) => {
    const caller = await authenticateFor(route, ports, request);
    const body = await readBody(route, request);
    const call = { ...validate({ params, query, body }), caller, request, ports };
    if (route.auth === "session") requireSession(caller as Caller);
    if (route.auth === "person") requirePerson(caller as Caller);
    const result = await route.handler(call);
    const { body: response, options } = result instanceof Reply ? result : new Reply(result, {});
    if (!hasSentNothing(response)) await recordChange(ports, route, call, options);
    if (response instanceof Response) return response;
    set.status = options.status ?? Number(Object.keys(route.response)[0] ?? 204);
    Object.assign(set.headers, options.headers);
    return response;
  };
}

/** Returns whether a requested file was not sent, so that nothing must be recorded. */
function hasSentNothing(response: unknown): boolean {
  return response instanceof Response && [304, 416].includes(response.status);
}

type Parts = Readonly<Record<"params" | "query" | "body", unknown>>;

function requestValidator(route: Route): (sent: Parts) => Parts {
  const siteName = siteParameter(route.path);
  const params = textValidator("path", route.params, (field) => (field === "name" ? siteName : field));
  const query = route.query && textValidator("query", route.query);
  const body = route.body && route.bodyFormat !== "raw" ? validator("body", route.body) : null;
  const emptyBody = route.body && TypeGuard.IsOptional(route.body) ? {} : undefined;
  return (sent) => ({
    params: params(sent.params),
    query: query?.(sent.query),
    body: body?.(sent.body ?? emptyBody),
  });
}

async function authenticateFor({ auth }: Route, ports: RoutePorts, request: Request): Promise<Caller | null> {
  if (auth === "public") return null;
  // Checked before the body is read, so that nobody else learns what the route accepts.
  if (auth === "operator") return requireOperator(await callerOf(ports, request));
  return auth === "optional" ? callerIfAny(ports, request) : callerOf(ports, request);
}

function readBody({ method, bodyFormat }: Route, request: Request): Promise<unknown> | undefined {
  if (method === "GET" || bodyFormat === "raw") return undefined;
  return bodyFormat === "json" ? readJson(request) : readJsonOrForm(request);
}
