import { FURTHER_RESPONSES, TAKES_FORM } from "../describe.ts";
import { ErrorResponse, HTTPValidationError } from "../schemas/errors.ts";
import { siteParameter } from "../schemas/sites.ts";

type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/**
 * The plugin writes OpenAPI 3.0 with every body three times over, what belongs to a schema around it as well, and
 * integers as a choice of types. Clients are generated from this document, so it says what the API does: JSON,
 * integers, and the validation error that every operation can answer with.
 */
export function refineDocument(document: JsonObject): JsonObject {
  const refined = mapJson(document, plainInteger) as JsonObject;
  const paths = refined.paths as Record<string, Record<string, JsonObject>>;
  for (const path of Object.values(paths)) {
    for (const [method, operation] of Object.entries(path)) refineOperation(method, operation);
  }
  const schemas: JsonObject = {};
  const named = mapJson(withSpecifiedNames(paths), (value) => byName(value, schemas));
  const components = { ...(refined.components as JsonObject), schemas };
  return { ...refined, openapi: "3.1.0", paths: named, components };
}

/**
 * Leaves a reference where a schema has a title, and collects the schema under it: clients get types with names.
 * A request with a default has none: in a schema of its own, generators take a property with a default for required.
 */
function byName(value: Json, schemas: JsonObject): Json {
  if (!isObject(value) || value.type !== "object" || typeof value.title !== "string") return value;
  const { title, ...schema } = value;
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

function withSpecifiedNames(paths: Record<string, Record<string, JsonObject>>): JsonObject {
  const renamed = Object.entries(paths).map(([path, operations]): [string, JsonObject] => {
    const specified = siteParameter(path);
    for (const { parameters = [] } of Object.values(operations)) {
      for (const parameter of parameters as JsonObject[]) if (parameter.name === "name") parameter.name = specified;
    }
    return [path.replace("{name}", `{${specified}}`), operations];
  });
  return Object.fromEntries(renamed);
}

const DESCRIPTIONS: Record<string, string> = {
  200: "Done",
  201: "Created",
  204: "Done; no body",
  400: "Bad request",
  503: "Service unavailable",
};

/** Every body has a limit and must be text, also where the operation needs none. */
const BODY_TOO_LARGE = errorNamed("the body is too large");
const BODY_NOT_TEXT = errorNamed("the body is not valid UTF-8");

const VALIDATION_ERROR = {
  description: "Validation error",
  content: { "application/json": { schema: HTTPValidationError } },
};

function refineOperation(method: string, operation: JsonObject): void {
  const further = operation[FURTHER_RESPONSES] as JsonObject | undefined;
  delete operation[FURTHER_RESPONSES];
  const found = { ...(operation.responses as JsonObject | undefined), ...further } as Record<string, JsonObject>;
  found[422] ??= copyOf(VALIDATION_ERROR);
  if (method !== "get") {
    found[400] ??= copyOf(BODY_NOT_TEXT);
    found[413] ??= copyOf(BODY_TOO_LARGE);
  }
  const responses = Object.entries(found).map(([code, response]) => {
    // A route without a schema for its answer has none: it says so by its status.
    const status = code === "200" && !response.content ? "204" : code;
    const { description = DESCRIPTIONS[status] ?? status } = response;
    return [status, { description, ...contentOf(response) }] as const;
  });
  operation.responses = Object.fromEntries(responses);
  const takesForm = operation[TAKES_FORM] === true;
  delete operation[TAKES_FORM];
  const body = operation.requestBody as JsonObject | undefined;
  if (body) operation.requestBody = { required: body.required ?? true, ...contentOf(body, takesForm) };
}

function errorNamed(detail: string) {
  return {
    description: detail,
    content: { "application/json": { schema: ErrorResponse, example: { detail } } },
  };
}

function copyOf(response: object): JsonObject {
  return mapJson(JSON.parse(JSON.stringify(response)) as Json, plainInteger) as JsonObject;
}

const FORM = "application/x-www-form-urlencoded";

/** Returns the body as JSON (and a form, where it takes one) with the schema's example; or else as it is. */
function contentOf(body: JsonObject, takesForm = false): JsonObject {
  const content = body.content as JsonObject | undefined;
  const json = content?.["application/json"] as JsonObject | undefined;
  if (!json) return content ? { content } : {};
  const example = json.example ?? exampleOf(json.schema as JsonObject, body);
  const schema = { ...(json.schema as JsonObject), ...(body.title ? { title: body.title } : {}) };
  const described = { ...json, schema, ...(example === undefined ? {} : { example }) };
  return { content: { "application/json": described, ...(takesForm ? { [FORM]: described } : {}) } };
}

/** The plugin takes examples and title out of a schema that is an object, and leaves those of an array's items in it. */
function exampleOf(schema: JsonObject, around: JsonObject): Json | undefined {
  const [example] = (around.examples ?? schema.examples ?? []) as Json[];
  if (example !== undefined) return example;
  const [item] = ((schema.items as JsonObject | undefined)?.examples ?? []) as Json[];
  return item === undefined ? undefined : [item];
}

/** Elysia's integers of paths and queries are "a numeric string or an integer", those of bodies a multiple of one. */
function plainInteger(value: Json): Json {
  if (isObject(value) && value.type === "number" && value.multipleOf === 1) {
    const { multipleOf: _, ...number } = value;
    return { ...number, type: "integer" };
  }
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
