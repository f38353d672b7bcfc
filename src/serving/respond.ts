import { BoundedMemo } from "../domain/bounded-memo.ts";
import type { Encoding } from "../domain/ports/blobs.ts";
import type { FileAnswer, Representation } from "./answer.ts";
import type { Bodies } from "./bodies.ts";
import { chooseEncoding, type Preference, parseAcceptEncoding } from "./http/accept-encoding.ts";
import { evaluateConditions, ifRangeMatches } from "./http/conditional.ts";
import { type ByteRange, parseRange } from "./http/range.ts";
import { errorPage } from "./pages/error-page.ts";
import type { Seen, ViewCounter } from "./ports.ts";
import type { SiteVisit } from "./site-visit.ts";

/** Answers with a file: conditions first, so that a 304 reads no content, then the range, then the whole. */
export type RespondWithFile = (visit: SiteVisit, answer: FileAnswer) => Response | Promise<Response>;

export function makeRespondWithFile(bodies: Bodies, views: ViewCounter): RespondWithFile {
  return (visit, answer) => {
    const { request } = visit;
    const { headers } = request;
    const isGet = request.method === "GET";
    const rangeHeader = isGet && answer.status === 200 ? headers.get("range") : null;
    if (rangeHeader !== null) {
      const { identity } = answer;
      const range = parseRange(rangeHeader, identity.size);
      if (range !== null && ifRangeMatches(headers.get("if-range"), identity)) {
        return conditional(views, visit, identity) ?? respondWithRange(bodies, views, visit, answer, range);
      }
    }
    const representation = answer.representation(encodingFor(answer, headers));
    const early = answer.status === 200 ? conditional(views, visit, representation) : null;
    if (early !== null) return early;
    if (isGet) views.count(visit, seenAs(answer), representation.size);
    return whole(bodies, representation, rangeHeader !== null);
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

function whole(bodies: Bodies, representation: Representation, hasIgnoredRange: boolean): Response | Promise<Response> {
  const atOnce = representation.respondAtOnce();
  if (atOnce !== null) return atOnce;
  if (!bodies.isSmall(representation)) return large(bodies, representation, hasIgnoredRange);
  const body = bodies.read(representation);
  return body instanceof Promise ? body.then((read) => representation.respond(read)) : representation.respond(body);
}

/** Bun applies a `Range` header by itself to every 200 that is a file, also to a slice, unless that asks for more than there is. */
function large(bodies: Bodies, representation: Representation, hasIgnoredRange: boolean): Response {
  const file = bodies.file(representation);
  const body = hasIgnoredRange ? file.slice(0, representation.size + 1) : file;
  return new Response(body, { status: representation.answer.status, headers: fileHeaders(representation) });
}

function respondWithRange(
  bodies: Bodies,
  views: ViewCounter,
  visit: SiteVisit,
  answer: FileAnswer,
  range: ByteRange | "unsatisfiable",
): Response | Promise<Response> {
  const { identity } = answer;
  if (range === "unsatisfiable") {
    return errorPage(visit.request, 416, visit.route, { "content-range": `bytes */${identity.size}` });
  }
  const { start, end } = range;
  const headers = fileHeaders(identity);
  headers.set("content-range", `bytes ${start}-${end}/${identity.size}`);
  views.count(visit, "asset", end + 1 - start);
  const init = { status: 206, headers };
  if (!bodies.isSmall(identity)) return new Response(bodies.file(identity).slice(start, end + 1), init);
  const body = bodies.read(identity);
  if (body instanceof Promise) return body.then((whole) => new Response(whole.slice(start, end + 1), init));
  return new Response(body.slice(start, end + 1), init);
}

/** Bun would name the file on disk, which is the content's digest, in a `Content-Disposition` of its own. */
function fileHeaders(representation: Representation): Headers {
  const headers = representation.headers();
  if (!headers.has("content-disposition")) headers.set("content-disposition", "inline");
  return headers;
}
