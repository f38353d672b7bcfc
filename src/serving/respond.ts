import { DomainError } from "../domain/errors.ts";
import type { Bodies, Content, ContentFor } from "./bodies.ts";
import { negotiateEncoding } from "./http/accept-encoding.ts";
import { evaluateConditions } from "./http/conditional.ts";
import { type ByteRange, requestedRange } from "./http/range.ts";
import type { Found, Lookup } from "./lookup.ts";
import { type ErrorStatus, errorPage } from "./pages/error-page.ts";
import type { HostingPorts, Route, Seen } from "./ports.ts";
import { PreparedFile, type Representation } from "./prepared-file.ts";
import { optionsFields, plainPageFields, redirectResponse } from "./response-headers.ts";
import { type SiteVisit, whenReady } from "./visit.ts";

/** Dependencies of responses with content. */
interface Parts {
  readonly bodies: Pick<Bodies, "isSmall" | "cached" | "open">;
  readonly contentFor: ContentFor;
}

/** A response, and what the analytics count if it is one to a GET. */
export interface Responded {
  readonly response: Response;
  /** Null if it is not counted. */
  readonly seen: Seen | null;
  /** The length of the body. */
  readonly bytes: number;
}

/** Responds to a GET or HEAD. */
export type Respond = (visit: SiteVisit, found: Found | null) => Responded | Promise<Responded>;

export function makeRespond(parts: Parts): Respond {
  return (visit, found) => {
    if (found instanceof PreparedFile) return respondWithFile(parts, visit, found);
    if (found?.kind === "redirect") return uncounted(redirectResponse(visit.route, found));
    const status = (found?.status ?? 404) as ErrorStatus;
    const response = errorPage(visit.request, status, visit.route, plainPageFields(found?.headerRules ?? []));
    return { response, seen: status === 404 ? "missing" : null, bytes: 0 };
  };
}

/** Returns the header fields of the response with a whole representation. */
export function wholeHeaders(bodies: Pick<Bodies, "isSmall">, representation: Representation): Headers {
  return bodies.isSmall(representation) ? representation.headers() : headersWithDisposition(representation);
}

/** Returns the response to a request that failed. A failed disk may work again soon; other errors are bugs. */
export function respondToFailure(
  report: HostingPorts["report"],
  request: Request,
  route: Route | null,
  error: unknown,
): Response {
  const isPassing = error instanceof DomainError && (error.kind === "unavailable" || error.kind === "disk_full");
  report(isPassing ? (error.extra.cause ?? error) : error);
  if (!isPassing) return errorPage(request, 500, route);
  return errorPage(request, 503, route, { "retry-after": String(error.extra.retryAfter ?? 1) });
}

/** Responds to OPTIONS, which browsers send before another origin's request, and refuses all other methods. */
export function respondToOtherMethod(visit: SiteVisit, lookup: Lookup): Response | Promise<Response> {
  const { request, route } = visit;
  // The body is not read, so the connection cannot be used for another request.
  if (request.method !== "OPTIONS") return errorPage(request, 405, route, { allow: ALLOW, connection: "close" });
  return whenReady(
    lookup.headerRules(visit),
    (rules) => new Response(null, { status: 204, headers: [...optionsFields(route, rules, ALLOW)] }),
  );
}

const ALLOW = "GET, HEAD, OPTIONS";

// --- internal ---

/** Evaluates conditions first, so that a 304 reads no content, then the range. */
function respondWithFile(parts: Parts, visit: SiteVisit, file: PreparedFile): Responded | Promise<Responded> {
  const { request } = visit;
  if (file.status !== 200) return respondWithWhole(parts, visit, representationFor(file, request));
  const range = requestedRange(request, file.identity);
  const representation = range === null ? representationFor(file, request) : file.identity;
  const early = conditionalResponse(visit, representation);
  if (early !== null) return early;
  return range === null
    ? respondWithWhole(parts, visit, representation)
    : respondWithRange(parts, visit, representation, range);
}

function representationFor(file: PreparedFile, { headers }: Request): Representation {
  return file.sizes === null ? file.identity : file.representation(negotiateEncoding(headers, file.sizes));
}

/** Returns the 304 or 412 that the conditions require; null if the content must be sent. A 412 is not counted. */
function conditionalResponse({ request, route }: SiteVisit, representation: Representation): Responded | null {
  const status = evaluateConditions(request.headers, representation);
  if (status === 200) return null;
  if (status === 412) return uncounted(errorPage(request, 412, route, corsFields(representation)));
  return { response: representation.notModified(), seen: representation.file.seen, bytes: 0 };
}

function respondWithWhole(
  { bodies, contentFor }: Parts,
  visit: SiteVisit,
  representation: Representation,
): Responded | Promise<Responded> {
  const { file, size } = representation;
  const isSmall = bodies.isSmall(representation);
  const cached = isSmall ? bodies.cached(representation) : undefined;
  if (cached !== undefined) return whole(representation, representation.respond(cached));
  const send = (content: Content | null): Responded => {
    if (content === null) return uncounted(busyPage(visit));
    if (isSmall && !(content instanceof ReadableStream)) return whole(representation, representation.respond(content));
    const body = visit.request.headers.has("range") ? withoutRange(content, size) : content;
    const headers = headersWithDisposition(representation);
    return whole(representation, new Response(body, { status: file.status, headers }));
  };
  if (visit.request.method === "HEAD" && !isSmall) {
    return bodies
      .open(representation)
      .then((blob) => (blob === null ? whole(representation, headOf(representation)) : send(blob)));
  }
  return whenReady(contentFor(visit.visitor, representation, { start: 0, end: size }), send);
}

function whole({ file, size }: Representation, response: Response): Responded {
  return { response, seen: file.seen, bytes: size };
}

function uncounted(response: Response): Responded {
  return { response, seen: null, bytes: 0 };
}

/** Returns the response to a HEAD whose content is not on this machine. */
function headOf(representation: Representation): Response {
  const headers = headersWithDisposition(representation);
  headers.set("content-length", String(representation.size));
  return new Response(null, { status: representation.file.status, headers });
}

/** Bun applies a `Range` header itself to each 200 with a file, or a slice of one, unless it is longer than the file. */
function withoutRange(content: Content, size: number): Content {
  return content instanceof Blob ? content.slice(0, size + 1) : content;
}

function respondWithRange(
  { contentFor }: Parts,
  visit: SiteVisit,
  identity: Representation,
  range: ByteRange | "unsatisfiable",
): Responded | Promise<Responded> {
  if (range === "unsatisfiable") {
    const fields = { ...corsFields(identity), "content-range": `bytes */${identity.size}` };
    return uncounted(errorPage(visit.request, 416, visit.route, fields));
  }
  const [start, end] = [range.start, range.end + 1];
  return whenReady(contentFor(visit.visitor, identity, { start, end }), (content) => {
    if (content === null) return uncounted(busyPage(visit));
    const headers = headersWithDisposition(identity);
    headers.set("content-range", `bytes ${start}-${range.end}/${identity.size}`);
    return { response: new Response(content, { status: 206, headers }), seen: "asset", bytes: end - start };
  });
}

/** Returns the CORS fields of the file's rules. Without them a script of another origin would get no status at all. */
function corsFields(representation: Representation): Record<string, string> {
  return Object.fromEntries([...representation.headers()].filter(([name]) => name.startsWith("access-control-")));
}

/** By then some of the slow clients will have read their responses or given up. */
const BUSY_SECONDS = 5;

function busyPage({ request, route }: SiteVisit): Response {
  return errorPage(request, 503, route, { "retry-after": String(BUSY_SECONDS) });
}

/** Bun would add a `Content-Disposition` with the name of the file on disk, which is the digest. */
function headersWithDisposition(representation: Representation): Headers {
  const headers = representation.headers();
  if (!headers.has("content-disposition")) headers.set("content-disposition", "inline");
  return headers;
}
