import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { ApiPorts } from "../ports.ts";
import { apiRoutes, routes } from "../routes.ts";
import { documentedPath, operationOf } from "./operation.ts";
import { type JsonObject, refineDocument } from "./refine.ts";
import { withNamedSchemas } from "./schema.ts";

/** What differs between servers: it is filled in when the document is asked for. */
const OF_THE_SERVER = { version: "", url: "" };

/**
 * Returns the OpenAPI document as JSON. Runs as a macro, while the program is built, because validators change the
 * schemas of a running server: a document that is made later tells which operations were called before it.
 */
export async function makeDocument(): Promise<string> {
  // The routes are listed and not called, so that they need no ports. The plugin adds a page to what it describes.
  const described = new Elysia().use(apiRoutes({} as ApiPorts)).use(
    swagger({
      path: "/reference",
      specPath: "/document.json",
      documentation: {
        info: {
          title: "Vitrine",
          version: OF_THE_SERVER.version,
          description: "The HTTP API of a self-hosted server for static websites.",
          license: { name: "MIT", url: "https://opensource.org/license/mit" },
        },
        servers: [{ url: OF_THE_SERVER.url }],
        components: {
          securitySchemes: {
            session: { type: "http", scheme: "bearer", description: "A session token, `vts_…`, from signing in" },
            token: {
              type: "http",
              scheme: "bearer",
              description: "A session token or a site's deployment token, `vtd_…`",
            },
          },
        },
      },
    }),
  );
  const response = await described.handle(new Request("http://localhost/document.json"));
  const refined = refineDocument((await response.json()) as JsonObject);
  const paths = refined.paths as Record<string, JsonObject>;
  const { schemas } = refined.components as { schemas: Record<string, unknown> };
  for (const route of routes) {
    if (route.summary === null) continue;
    const operation = withNamedSchemas(operationOf(route), schemas);
    paths[documentedPath(route)] = {
      ...paths[documentedPath(route)],
      [route.method.toLowerCase()]: operation,
    } as JsonObject;
  }
  return JSON.stringify(refined);
}
