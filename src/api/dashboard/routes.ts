import { DomainError } from "../../domain/errors.ts";
import { pageRoute } from "../route.ts";
import type { Links } from "../schemas/links.ts";
import { pagePolicy } from "./policy.ts";

/**
 * The dashboard: its page at `/` and below `/dashboard`, its files below `/assets`. All other paths of the base host
 * belong to the API: `/sites` is a list in JSON, `/dashboard/sites/blog` is that site's page.
 */
export const dashboardRoutes = [
  ...(["GET /", "GET /dashboard", "GET /dashboard/*"] as const).map((endpoint) =>
    pageRoute(endpoint, ({ request, ports }) => page(request, ports.links)),
  ),
  pageRoute("GET /assets/:file", ({ request, params }) => asset(request, `/assets/${params.file}`)),
];

/** The files are unpacked at the first request: most threads never need them. */
async function respond(path: string, request: Request, headers: Record<string, string>): Promise<Response> {
  const { dashboardFile } = await import("./assets.ts");
  const response = dashboardFile(path, request, headers);
  if (!response) throw new DomainError("not_found", `there is nothing at ${path}`);
  return response;
}

/** The list of sites shows their own icons, which come from their hosts. */
function page(request: Request, links: Links): Promise<Response> {
  return respond("/index.html", request, pagePolicy({ images: links.site("*") }));
}

/** An SVG icon that is opened by itself is a document, in which nothing may run. */
function asset(request: Request, path: string): Promise<Response> {
  return respond(path, request, path.endsWith(".svg") ? pagePolicy() : {});
}
