import fc from "fast-check";
import type { Schema } from "../../api/openapi/read.ts";
import type { FuzzWorld, Who } from "./fuzz-world.ts";
import { HOSTILE_TEXTS, hostileValue, Values } from "./hostile-values.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A request with placeholders such as `{name}` for the ids of the fuzz world. */
interface Draft {
  readonly who: Who;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface FuzzResult {
  readonly requests: number;
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Responses that no client should get, at most one for each operation. */
  readonly failures: readonly string[];
}

/** Sends every operation of the document `runs` valid and invalid requests. Reports unexpected responses. */
export async function fuzzApi(world: FuzzWorld, runs: number, seed: number): Promise<FuzzResult> {
  const { components, operations } = await readDocument(world);
  const values = new Values(components.schemas, new Set(Object.keys(world.ids)));
  const statuses: Record<string, number> = {};
  const failures: string[] = [];
  for (const [method, path, operation] of operations) {
    await world.renew(path);
    const property = fc.asyncProperty(draft(values, method, path, operation), async (requested) => {
      const response = await send(world, method.toUpperCase(), requested);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const fault = faultOf(operation, response.status, await textOf(response));
      if (response.ok && method === "delete" && endsSomething(path)) await world.renew(path);
      if (fault !== null) throw new Error(fault);
    });
    const result = await fc.check(property, { numRuns: runs, seed });
    if (result.failed) failures.push(`${method} ${path} ${complaint(result)}`);
  }
  const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return { requests, statuses, failures };
}

/** Returns whether the deletion removes something that later requests need. Deleting a pin or a policy does not. */
function endsSomething(path: string): boolean {
  return path.endsWith("}") || path === "/auth/session";
}

/** Returns the document with its operations in one list. */
export async function readDocument(world: FuzzWorld) {
  const document = (await (await world.call("GET", "/openapi.json")).json()) as OpenApiDocument;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
  );
  return { ...document, operations };
}

function complaint({ errorInstance, counterexample }: fc.RunDetails<[Draft]>): string {
  const fault = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${fault.slice(0, 500)} to ${JSON.stringify(counterexample).slice(0, 1000)}`;
}

/** Returns the body. For an event stream, which never ends, returns an empty string. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text();
  await response.body?.cancel();
  return "";
}

/** Returns what is wrong with a response; null if the document describes it. */
function faultOf({ responses }: Operation, status: number, text: string): string | null {
  if (!(status in responses)) return `answered ${status}, which is not documented: ${text}`;
  if (status < 400) return null;
  const { detail } = JSON.parse(text) as { detail: unknown };
  const isFine = status === 422 ? Array.isArray(detail) && detail.every(isFieldError) : typeof detail === "string";
  return isFine ? null : `answered ${status} of another shape: ${text}`;
}

function isFieldError(value: unknown): boolean {
  const { loc, msg, type } = value as Record<string, unknown>;
  const place = Array.isArray(loc) ? loc[0] : null;
  return ["path", "query", "header", "body"].includes(place) && typeof msg === "string" && typeof type === "string";
}

function send(world: FuzzWorld, method: string, { who, path, headers, body }: Draft): Promise<Response> {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => world.ids[name] ?? whole);
  return world.call(method, fill(path), {
    headers: { ...headers, ...world.credential(who) },
    body: body && fill(body),
  });
}

// --- drafts ---

const WHO: fc.Arbitrary<Who> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Who>("owner") },
  fc.constantFrom<Who>("nobody", "stranger", "token", "cookie", "foreign page", "garbage"),
);

function draft(values: Values, method: string, path: string, operation: Operation): fc.Arbitrary<Draft> {
  const { parameters = [] } = operation;
  const texts = parameters.map(({ schema, name }) => values.text(schema, name));
  const isSent = parameters.map(({ required }) => (required ? fc.constant(true) : fc.boolean()));
  return fc
    .record({
      who: WHO,
      texts: fc.tuple(...texts),
      isSent: fc.tuple(...isSent),
      noise: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, noise),
      body: method === "get" ? fc.constant(NO_BODY) : bodyOf(values, operation),
    })
    .map(({ who, texts, isSent, noise, body }) => {
      const sent = parameters.flatMap((parameter, at) => (isSent[at] ? [{ ...parameter, text: texts[at] ?? "" }] : []));
      const headers = sent
        .filter((parameter) => parameter.in === "header")
        .map(({ name, text }) => [name, headerText(text)]);
      const query = sent
        .filter((parameter) => parameter.in === "query")
        .map(({ name, text }) => `${name}=${encoded(text)}`);
      const target = path.replace(/\{(\w+)\}/g, (_, name) =>
        segment(sent.find((one) => one.name === name)?.text ?? ""),
      );
      return {
        who,
        path: query.length > 0 ? `${target}?${query.join("&")}` : target,
        headers: { ...noise, ...Object.fromEntries(headers), ...body.headers },
        body: body.text,
      };
    });
}

interface Body {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | null;
}

const NO_BODY: Body = { headers: {}, text: null };
const JSON_TYPE = { "Content-Type": "application/json" };

function bodyOf(values: Values, { requestBody }: Operation): fc.Arbitrary<Body> {
  const content = requestBody?.content;
  if (!content) return fc.oneof({ weight: 4, arbitrary: fc.constant(NO_BODY) }, strangeBody);
  const choices = Object.entries(content).map(([type, { schema }]) => {
    const headers = { "Content-Type": type };
    if (type === "multipart/form-data") return multipart;
    const value = values.near(schema);
    if (type === "application/json") return value.map((sent): Body => ({ headers, text: JSON.stringify(sent) }));
    return value.map((sent): Body => ({ headers, text: formText(sent) }));
  });
  return fc.oneof(...choices.map((arbitrary) => ({ weight: 6, arbitrary })), fc.constant(NO_BODY), strangeBody);
}

/** Bodies that are not JSON, or that no operation accepts. */
const strangeBody: fc.Arbitrary<Body> = fc.oneof(
  fc
    .constantFrom(
      "{",
      "[]",
      "null",
      '"a"',
      "0",
      "\ufeff{}",
      "{}{}",
      '{"a":1,"a":2}',
      "[".repeat(40_000),
      " ".repeat(70_000),
    )
    .map((text): Body => ({ headers: JSON_TYPE, text })),
  hostileValue.map((value): Body => ({ headers: JSON_TYPE, text: JSON.stringify(value) })),
  fc
    .tuple(
      fc.constantFrom("text/plain", "application/xml", "multipart/form-data", "application/x-www-form-urlencoded", "/"),
      fc.string(),
    )
    .map(([type, text]): Body => ({ headers: { "Content-Type": type }, text })),
);

/** Forms for POST /deploy. Tests of the upload cover complete archives. */
const multipart: fc.Arbitrary<Body> = fc
  .tuple(
    fc.constantFrom("file", "File", "other", ""),
    fc.oneof(fc.string({ unit: "binary" }), fc.constant("PK\u0005\u0006")),
    fc.boolean(),
  )
  .map(([name, content, isWhole]) => ({
    headers: { "Content-Type": "multipart/form-data; boundary=b" },
    text: `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}${isWhole ? "\r\n--b--\r\n" : ""}`,
  }));

const noise = fc.record(
  {
    Accept: fc.constantFrom("text/*", "*/*;q=0", "application/json", ","),
    "Accept-Encoding": fc.constantFrom("gzip", "identity;q=0", "br;q=x", "*"),
    "If-None-Match": fc.constantFrom("*", '"x"', "x", 'W/"'),
    Range: fc.constantFrom("bytes=0-0", "bytes=-1", "bytes=9-1", "x"),
    Cookie: fc.constantFrom("vitrine=", "vitrine=x; vitrine=y", "=;=", "__Host-vitrine=%00"),
    Origin: fc.constantFrom("null", "https://evil.example", "x"),
    "X-Forwarded-For": fc.constantFrom("127.0.0.1", "a, b", ""),
  },
  { requiredKeys: [] },
);

/** Form fields are text. Values of other types are encoded as JSON. */
function formText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const fields = Object.entries(value).map(([name, field]) => {
    const text = typeof field === "string" ? field : JSON.stringify(field);
    return `${encoded(name)}=${encoded(text)}`;
  });
  return fields.join("&");
}

/** Returns text for one segment of a path. Some values lead to another operation, or none. */
function segment(text: string): string {
  return text === "" || /^\.{1,2}$/.test(text) ? "-" : encoded(text);
}

/** Percent-encodes text for a URL, except broken text and placeholders. */
function encoded(text: string): string {
  if (/^\{\w+\}$/.test(text) || (HOSTILE_TEXTS.includes(text) && /^%/.test(text))) return text;
  return encodeURIComponent(text.toWellFormed());
}

/** Removes characters that a header cannot contain. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim();
}
