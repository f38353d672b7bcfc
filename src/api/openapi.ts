import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { type JsonObject, refineDocument } from "./openapi-document.ts";
import type { ApiPorts } from "./ports.ts";

/**
 * GET /openapi.json. The document is made from the routes at the first request: the plugin lists them in an app of its
 * own, because it would also add a page that loads its script from elsewhere.
 */
export function openApiRoute(routes: () => { handle: unknown }, ports: Pick<ApiPorts, "links" | "version">) {
  let document: Promise<string> | null = null;
  return new Elysia().get(
    "/openapi.json",
    async () => {
      document ??= makeDocument(routes() as Elysia, ports);
      return new Response(await document, { headers: { "Content-Type": "application/json" } });
    },
    { detail: { hide: true } },
  );
}

async function makeDocument(routes: Elysia, { links, version }: Pick<ApiPorts, "links" | "version">): Promise<string> {
  const described = new Elysia().use(routes).use(
    swagger({
      path: "/reference",
      specPath: "/document.json",
      documentation: {
        info: {
          title: "Vitrine",
          version: version.version,
          description: "The HTTP API of a self-hosted appliance for static websites.",
          license: { name: "MIT", url: "https://opensource.org/license/mit" },
        },
        servers: [{ url: links.base }],
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
  return JSON.stringify(refineDocument((await response.json()) as JsonObject));
}
