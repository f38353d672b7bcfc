import { Elysia } from "elysia";
import { DomainError } from "../../domain/errors.ts";
import { pagePolicy } from "./policy.ts";

/**
 * The dashboard: its one page at `/` and below `/dashboard`, its files below `/assets`. Everything else of the base
 * host is the API's: `/sites` is a list in JSON, `/dashboard/sites/blog` is that site's page.
 */
export function dashboardRoutes() {
  const hidden = { detail: { hide: true } };
  return new Elysia()
    .get("/", ({ request }) => page(request), hidden)
    .get("/dashboard", ({ request }) => page(request), hidden)
    .get("/dashboard/*", ({ request }) => page(request), hidden)
    .get("/assets/:file", ({ request, params }) => asset(request, `/assets/${params.file}`), hidden);
}

/** The files are built, or unpacked, at the first request for them: most threads of most runs never need them. */
async function respond(path: string, request: Request, extra?: Record<string, string>): Promise<Response> {
  const { dashboardFile } = await import("./assets.ts");
  const response = dashboardFile(path, request, extra);
  if (!response) throw new DomainError("not_found", `there is nothing at ${path}`);
  return response;
}

function page(request: Request): Promise<Response> {
  return respond("/index.html", request, pagePolicy());
}

/** The icon is a document too when somebody opens it: nothing in it may run. */
function asset(request: Request, path: string): Promise<Response> {
  return respond(path, request, path.endsWith(".svg") ? pagePolicy() : {});
}
