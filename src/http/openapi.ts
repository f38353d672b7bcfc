import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { ApiPorts } from "./ports.ts";
import { HTTPValidationError } from "./schemas/errors.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

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
  return JSON.stringify(refine((await response.json()) as JsonObject));
}

/**
 * The plugin writes OpenAPI 3.0 with every body three times over and integers as a choice of types. Clients are
 * generated from this document, so it says what the API does: JSON, integers, null as 3.1 knows it, and the
 * validation error that every operation can answer with.
 */
function refine(document: JsonObject): JsonObject {
  const refined = mapJson(document, plainInteger) as JsonObject;
  const paths = refined.paths as Record<string, Record<string, JsonObject>>;
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(path)) refineOperation(operation);
  }
  return { ...refined, openapi: "3.1.0", paths: withSpecifiedNames(paths) };
}

/**
 * The specification calls a site `name` in some paths and `site_name` below access and domains; the router can only
 * have one name for one place.
 */
function withSpecifiedNames(paths: Record<string, Record<string, JsonObject>>): JsonObject {
  const renamed = Object.entries(paths).map(([path, operations]): [string, JsonObject] => {
    if (!/^\/sites\/\{name\}\/(access|domains)/.test(path)) return [path, operations];
    for (const { parameters } of Object.values(operations)) {
      for (const parameter of parameters as JsonObject[]) if (parameter.name === "name") parameter.name = "site_name";
    }
    return [path.replace("{name}", "{site_name}"), operations];
  });
  return Object.fromEntries(renamed);
}

const DESCRIPTIONS: Record<string, string> = { 200: "Done", 201: "Made", 204: "Done; no body" };

function refineOperation(operation: JsonObject): void {
  const responses = (operation.responses ?? {}) as Record<string, JsonObject>;
  const described: JsonObject = {};
  operation.responses = described;
  for (const [status, response] of Object.entries(responses)) {
    described[status] = { description: DESCRIPTIONS[status] ?? status, ...response, ...jsonOnly(response) };
  }
  if (!Object.keys(described).some((status) => status.startsWith("2"))) {
    described[204] = { description: DESCRIPTIONS[204] as string };
  }
  described[422] ??= {
    description: "Validation error",
    content: { "application/json": { schema: JSON.parse(JSON.stringify(HTTPValidationError)) as Json } },
  };
  const body = operation.requestBody as JsonObject | undefined;
  if (
    body &&
    !("multipart/form-data" in (body.content as JsonObject) && !("application/json" in (body.content as JsonObject)))
  ) {
    operation.requestBody = { ...body, ...jsonOnly(body) };
  }
}

/** Returns the body as JSON alone, with the schema's first example as the example. */
function jsonOnly(body: JsonObject): JsonObject {
  const json = (body.content as JsonObject | undefined)?.["application/json"] as JsonObject | undefined;
  return json ? { content: { "application/json": json } } : {};
}

/** Elysia's integers of paths and queries are "a numeric string or an integer". */
function plainInteger(value: Json): Json {
  const choices = isObject(value) && Array.isArray(value.anyOf) ? value.anyOf.filter(isObject) : [];
  const [text, number] = choices;
  const isChoice = choices.length === 2 && text?.format === "integer" && number?.type === "integer";
  return isChoice ? { ...(value as JsonObject), ...number, anyOf: undefined as never } : value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapJson(value: Json, change: (value: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapJson(item, change));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapJson(item, change)] as const);
  return change(Object.fromEntries(entries));
}
