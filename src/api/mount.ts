import { Elysia } from "elysia";
import type { Caller } from "../domain/accounts/caller.ts";
import { requireSession } from "../domain/sites/ownership.ts";
import { recordChange } from "./audit.ts";
import { callerIfAny, callerOf } from "./authenticate.ts";
import { readJson, readJsonOrForm } from "./body.ts";
import type { ApiPorts } from "./ports.ts";
import { Reply, type Route } from "./route.ts";
import { textValidator, validator } from "./validate.ts";

/** What Elysia knows of a request, before anything is validated. */
interface Incoming {
  readonly request: Request;
  readonly params: unknown;
  readonly query: unknown;
  readonly set: { status?: number | string; readonly headers: Record<string, string | number> };
}

/** Returns an app that answers the routes. Elysia routes, and validates responses; requests are validated here. */
export function mount(routes: readonly Route[], ports: ApiPorts) {
  const app = new Elysia();
  for (const route of routes) {
    const answer = responder(route, ports);
    app.route(
      route.method,
      route.path,
      ({ request, params, query, set }) => answer({ request, params, query, set } as Incoming),
      { parse: "none", response: { ...route.response } },
    );
  }
  return app;
}

/**
 * The contract fixes the order of the checks: the credential before the body is read, and both before anything is
 * validated.
 */
function responder(route: Route, ports: ApiPorts): (incoming: Incoming) => Promise<unknown> {
  const validateParams = textValidator("path", route.params);
  const validateQuery = route.query && textValidator("query", route.query);
  const validateBody = route.body && validator("body", route.body);
  return async ({ request, params, query, set }) => {
    const caller = await authenticateFor(route, ports, request);
    const sent = await readBody(route, request);
    const call = {
      caller,
      params: validateParams(params),
      query: validateQuery?.(query),
      body: validateBody?.(sent),
      request,
      ports,
    };
    if (route.auth === "session") requireSession(caller as Caller);
    const result = await route.handler(call);
    const { body, options } = result instanceof Reply ? result : new Reply(result, {});
    const [usual = 204] = Object.keys(route.response);
    set.status = options.status ?? Number(usual);
    Object.assign(set.headers, options.headers);
    await recordChange(ports, route, call, options);
    return body;
  };
}

function authenticateFor({ auth }: Route, ports: ApiPorts, request: Request): Promise<Caller | null> | null {
  if (auth === "public") return null;
  return auth === "optional" ? callerIfAny(ports, request) : callerOf(ports, request);
}

function readBody({ method, bodyFormat }: Route, request: Request): Promise<unknown> | undefined {
  if (method === "GET" || bodyFormat === "raw") return undefined;
  return bodyFormat === "json" ? readJson(request) : readJsonOrForm(request);
}
