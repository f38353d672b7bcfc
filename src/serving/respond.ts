import { BoundedMemo } from "../domain/bounded-memo.ts";
import type { Encoding } from "../domain/ports/content.ts";
import type { FileAnswer, Representation } from "./answer.ts";
import type { Bodies } from "./bodies.ts";
import type { Content, ContentFor } from "./content-for.ts";
import { chooseEncoding, type Preference, parseAcceptEncoding } from "./http/accept-encoding.ts";
import { evaluateConditions, ifRangeMatches } from "./http/conditional.ts";
import { type ByteRange, parseRange } from "./http/range.ts";
import { errorPage } from "./pages/error-page.ts";
import type { Seen, ViewCounter } from "./ports.ts";
import type { SiteVisit } from "./site-visit.ts";

/** Answers with a file: conditions first, so that a 304 reads no content, then the range, then the whole. */
export type RespondWithFile = (visit: SiteVisit, answer: FileAnswer) => Response | Promise<Response>;

/** What responses with content are made with. */
interface Parts {
  readonly bodies: Pick<Bodies, "isSmall" | "file">;
  readonly contentFor: ContentFor;
  readonly views: ViewCounter;
}

export function makeRespondWithFile(parts: Parts): RespondWithFile {
  const { views } = parts;
  return (visit, answer) => {
    const { request } = visit;
    const { headers } = request;
    const isGet = request.method === "GET";
    const rangeHeader = isGet && answer.status === 200 ? headers.get("range") : null;
    if (rangeHeader !== null) {
      const { identity } = answer;
      const range = parseRange(rangeHeader, identity.size);
      if (range !== null && ifRangeMatches(headers.get("if-range"), identity)) {
        return conditional(views, visit, identity) ?? respondWithRange(parts, visit, answer, range);
      }
    }
    const representation = answer.representation(encodingFor(answer, headers));
    const early = answer.status === 200 ? conditional(views, visit, representation) : null;
    if (early !== null) return early;
    return whole(parts, visit, representation, rangeHeader !== null);
  };
}

/** Returns the fields of the answer with the whole of a representation. */
export function wholeHeaders(bodies: Pick<Bodies, "isSmall">, representation: Representation): Headers {
  return bodies.isSmall(representation) ? representation.headers() : fileHeaders(representation);
}

// --- internal ---

function seenAs({ status, tally }: FileAnswer): Seen {
  return status === 404 ? "missing" : (tally ?? "asset");
}

/** Browsers send one of a few `Accept-Encoding` headers: each is understood once. */
const preferences = new BoundedMemo<string, Preference>(1000);

function encodingFor(answer: FileAnswer, headers: Headers): Encoding {
  if (answer.sizes === null) return "identity";
  const header = headers.get("accept-encoding");
  if (header === null) return "identity";
  return chooseEncoding(preferences.get(header, parseAcceptEncoding), answer.sizes);
}

/**
 * Returns the 304 or 412 that the conditions ask for; null where the content is to be sent. Of the three only the 304 is
 * counted here, as what it stands for: a 412 shows nothing, and the content is counted with its length.
 */
function conditional(views: ViewCounter, visit: SiteVisit, representation: Representation): Response | null {
  const { request, route } = visit;
  const { headers } = request;
  const conditions = {
    ifMatch: headers.get("if-match"),
    ifNoneMatch: headers.get("if-none-match"),
    ifModifiedSince: headers.get("if-modified-since"),
    ifUnmodifiedSince: headers.get("if-unmodified-since"),
  };
  const status = evaluateConditions(conditions, representation);
  if (status === 200) return null;
  if (status === 412) return errorPage(request, 412, route);
  if (request.method === "GET") views.count(visit, seenAs(representation.answer), 0);
  return representation.notModified();
}

function whole(
  { bodies, contentFor, views }: Parts,
  visit: SiteVisit,
  representation: Representation,
  hasIgnoredRange: boolean,
): Response | Promise<Response> {
  const { answer, size } = representation;
  const isGet = visit.request.method === "GET";
  const isSmall = bodies.isSmall(representation);
  const send = (content: Content | null) => {
    if (content === null) return busy(visit);
    if (isGet) views.count(visit, seenAs(answer), size);
    if (isSmall && !(content instanceof ReadableStream)) return representation.respond(content);
    const body = hasIgnoredRange ? withoutRange(content, size) : content;
    return new Response(body, { status: answer.status, headers: fileHeaders(representation) });
  };
  const atOnce = representation.respondAtOnce();
  if (atOnce !== null) {
    if (isGet) views.count(visit, seenAs(answer), size);
    return atOnce;
  }
  if (!isGet && !isSmall) return send(bodies.file(representation));
  const content = contentFor(visit.visitor, representation, { start: 0, end: size });
  return content instanceof Promise ? content.then(send) : send(content);
}

/** Bun applies a `Range` header by itself to every 200 that is a file, also to a slice, unless that asks for more than there is. */
function withoutRange(content: Content, size: number): Content {
  return content instanceof Blob ? content.slice(0, size + 1) : content;
}

function respondWithRange(
  { contentFor, views }: Parts,
  visit: SiteVisit,
  { identity }: FileAnswer,
  range: ByteRange | "unsatisfiable",
): Response | Promise<Response> {
  if (range === "unsatisfiable") {
    return errorPage(visit.request, 416, visit.route, { "content-range": `bytes */${identity.size}` });
  }
  const [start, end] = [range.start, range.end + 1];
  const send = (content: Content | null) => {
    if (content === null) return busy(visit);
    views.count(visit, "asset", end - start);
    const headers = fileHeaders(identity);
    headers.set("content-range", `bytes ${start}-${range.end}/${identity.size}`);
    return new Response(content, { status: 206, headers });
  };
  const content = contentFor(visit.visitor, identity, { start, end });
  return content instanceof Promise ? content.then(send) : send(content);
}

/** Visitors before have not taken their answers yet: by then some will have, or given up. */
const BUSY_SECONDS = 5;

function busy({ request, route }: SiteVisit): Response {
  return errorPage(request, 503, route, { "retry-after": String(BUSY_SECONDS) });
}

/** Bun would name the file on disk, which is the content's digest, in a `Content-Disposition` of its own. */
function fileHeaders(representation: Representation): Headers {
  const headers = representation.headers();
  if (!headers.has("content-disposition")) headers.set("content-disposition", "inline");
  return headers;
}
