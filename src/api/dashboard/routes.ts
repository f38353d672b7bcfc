import { DomainError } from "../../domain/errors.ts";
import { pageRoute } from "../route.ts";
import { pagePolicy } from "./policy.ts";

/**
 * The dashboard: its one page at `/` and below `/dashboard`, its files below `/assets`. Everything else of the base
 * host is the API's: `/sites` is a list in JSON, `/dashboard/sites/blog` is that site's page.
 */
export const dashboardRoutes = [
  ...["/", "/dashboard", "/dashboard/*"].map((path) =>
    pageRoute({ method: "GET", path, handler: ({ request }) => page(request) }),
  ),
  pageRoute({
    method: "GET",
    path: "/assets/:file",
    handler: ({ request, params }) => asset(request, `/assets/${params.file}`),
  }),
];

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
