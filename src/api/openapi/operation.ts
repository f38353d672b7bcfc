import type { TSchema } from "@sinclair/typebox";
import { OPERATIONS } from "../../domain/model/role.ts";
import { capitalized } from "../../domain/sentence.ts";
import { FORM } from "../body.ts";
import type { Auth, ErrorMeanings, Route } from "../route.ts";
import { ErrorResponse, HTTPValidationError } from "../schemas/errors.ts";
import { siteParameter } from "../schemas/sites.ts";
import { plainSchema } from "./schema.ts";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: "Done",
  201: "Created",
  400: "Bad request",
  503: "Service unavailable",
};

/** The errors of every route with a credential. */
const CREDENTIAL_ERRORS: ErrorMeanings = {
  401: "authentication is required",
  403: "account is frozen: ask the operator",
  429: "too many calls with this credential: slow down",
};

/** The errors of an operation on a site. */
const SITE_ERRORS: ErrorMeanings = { 403: "site ownership is required", 404: "site does not exist" };

/** Every body has a limit and must be text, even if the operation needs none. */
const BODY_ERRORS: ErrorMeanings = { 400: "the body is not valid UTF-8", 413: "the body is too large" };

/** The security scheme and the errors of each kind of access. */
const ACCESS: Readonly<Record<Auth, { readonly scheme: "session" | "token" | null; readonly errors: ErrorMeanings }>> =
  {
    public: { scheme: null, errors: {} },
    optional: { scheme: null, errors: { 429: "too many calls with this credential: slow down" } },
    credential: { scheme: "token", errors: CREDENTIAL_ERRORS },
    session: { scheme: "session", errors: { ...CREDENTIAL_ERRORS, 403: "a session token is required" } },
    person: { scheme: "session", errors: { ...CREDENTIAL_ERRORS, 403: "a session token is required" } },
    site: { scheme: "session", errors: { ...CREDENTIAL_ERRORS, ...SITE_ERRORS } },
    operator: { scheme: "session", errors: { ...CREDENTIAL_ERRORS, 403: "operator permission is required" } },
  };

/** Returns the path of a route in the document, with the parameter names of the specification. */
export function documentedPath({ path }: Route): string {
  return path.replace(":name", `:${siteParameter(path)}`).replaceAll(/:(\w+)/g, "{$1}");
}

/** Returns a route's operation object. */
export function operationOf(route: Route): object {
  const { summary, tag } = route;
  const description = descriptionOf(route);
  const scheme = schemeOf(route);
  const parameters = [...parametersOf(route, "path"), ...parametersOf(route, "query"), ...(route.headers ?? [])];
  return {
    operationId: operationId(route),
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    security: scheme ? [{ [scheme]: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: requestContent(route, route.body) } } : {}),
    responses: responsesOf(route),
  };
}

/** Returns the description of a route, with the role that it takes. */
function descriptionOf({ description, operation }: Route): string | undefined {
  if (operation === null) return description;
  const role = `Takes the role ${OPERATIONS[operation].role} on the site.`;
  return description === undefined ? role : `${description} ${role}`;
}

function schemeOf({ auth, operation }: Route): "session" | "token" | null {
  const isForTokens = operation !== null && OPERATIONS[operation].credential === "any";
  return isForTokens ? "token" : ACCESS[auth].scheme;
}

/** `GET /sites/:name/webhooks` becomes `getSitesByNameWebhooks`. */
function operationId({ method, path }: Route): string {
  const words = path
    .split("/")
    .map((part) => (part.startsWith(":") ? `By${capitalized(part.slice(1))}` : capitalized(part)));
  return method.toLowerCase() + words.join("");
}

function parametersOf(route: Route, place: "path" | "query"): object[] {
  const { properties, required = [] } = (place === "path" ? route.params : route.query) ?? { properties: {} };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...plain } = plainSchema(schema);
    return {
      ...(description ? { description } : {}),
      schema: plain,
      in: place,
      name: place === "path" && name === "name" ? siteParameter(route.path) : name,
      required: required.includes(name),
    };
  });
}

function requestContent({ bodyFormat, rawType = "multipart/form-data" }: Route, body: TSchema): object {
  const media = mediaOf(body);
  if (bodyFormat === "raw") return { [rawType]: media };
  const form = bodyFormat === "json-or-form" ? { [FORM]: media } : {};
  return { "application/json": media, ...form };
}

function responsesOf(route: Route): object {
  const errors = {
    ...(route.method === "GET" ? {} : BODY_ERRORS),
    ...ACCESS[route.auth].errors,
    ...route.errors,
  };
  return {
    ...fileResponses(route),
    ...(route.produces || Object.keys(route.response).length > 0 ? {} : { 204: { description: "Done; no body" } }),
    422: jsonResponse("Validation error", HTTPValidationError),
    ...mapValues(errors, (meaning) => ({
      description: meaning,
      content: { "application/json": { ...mediaOf(ErrorResponse), example: { detail: meaning } } },
    })),
    ...mapValues(route.response, (schema, status) => {
      const { description, content } = jsonResponse(DESCRIPTIONS[status] ?? status, schema);
      return { description, content: { ...content, ...(route.alternative ? { [route.alternative]: FILE } : {}) } };
    }),
  };
}

const FILE = { schema: { type: "string", format: "binary" } };

/** Returns the responses with a file, and those to the conditions and ranges of its download. */
function fileResponses({ produces, ranged = false }: Route): object {
  if (produces === undefined) return {};
  const content = { [produces]: FILE };
  const whole = { 200: { description: "Done", content } };
  if (!ranged) return whole;
  return {
    ...whole,
    206: { description: "The requested range", content },
    304: { description: "The client has the current file" },
    412: { description: "The file is another one than the request names" },
    416: { description: "The range is outside of the file" },
  };
}

function jsonResponse(description: string, schema: TSchema) {
  return { description, content: { "application/json": mediaOf(schema) } };
}

/** Returns a schema with its example; for a list, a list of the first example of its items. */
function mediaOf(schema: TSchema): object {
  const example = schema.examples?.[0] ?? (schema.items?.examples ? [schema.items.examples[0]] : undefined);
  return { schema: plainSchema(schema), ...(example === undefined ? {} : { example }) };
}

function mapValues<T>(from: Readonly<Record<string, T>>, change: (value: T, key: string) => object): object {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value, key)]));
}
