import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { routes } from "../routes/routes.ts";
import { documentedPath, operationOf } from "./operation.ts";
import { withNamedSchemas } from "./schema.ts";

type Documentation = NonNullable<NonNullable<Parameters<typeof swagger>[0]>["documentation"]>;

/** The path of the plugin while the program is built. */
const PAGE = "/reference";
const DOCUMENT = "/document.json";

/** The values that differ between servers, which are filled in on request. */
const OF_THE_SERVER = { version: "", url: "" };

/**
 * Returns the OpenAPI document as JSON. Runs as a macro at build time, so that the plugin and its dependencies are not
 * part of the executable. It gets the complete operations, because the descriptions that it derives from the schemas of
 * Elysia's routes lack descriptions, examples and names.
 */
export async function makeDocument(): Promise<string> {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes.filter(({ summary }) => summary !== null)) {
    const path = documentedPath(route);
    const operation = withNamedSchemas(operationOf(route), schemas);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const documentation = {
    openapi: "3.1.0",
    info: {
      title: "Vitrine",
      description: "The HTTP API of a self-hosted server for static websites.",
      version: OF_THE_SERVER.version,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: OF_THE_SERVER.url }],
    components: {
      securitySchemes: {
        session: { type: "http", scheme: "bearer", description: "A session token, `vts_…`, from signing in" },
        token: { type: "http", scheme: "bearer", description: "A session token or a site's deployment token, `vtd_…`" },
      },
      schemas,
    },
    paths,
  };
  const described = new Elysia().use(
    swagger({
      path: PAGE,
      specPath: DOCUMENT,
      exclude: [PAGE, DOCUMENT],
      documentation: documentation as Documentation,
    }),
  );
  const response = await described.handle(new Request(`http://localhost${DOCUMENT}`));
  return JSON.stringify(await response.json());
}
