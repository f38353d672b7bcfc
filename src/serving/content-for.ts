import type { Visitor } from "../domain/ports/connection.ts";
import type { Representation } from "./answer.ts";
import { type Bodies, type Body, MAX_CACHED_BYTES } from "./bodies.ts";
import { PART_BYTES, streamOfParts } from "./stream-of-parts.ts";

/** The bytes of a representation from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a response can be made of. */
export type Content = Body | Bun.BunFile | ReadableStream<Uint8Array>;

/**
 * Returns content in the form that a visitor may hold up: null where slow visitors hold too much already. Rejects or
 * throws when the content cannot be read.
 */
export type ContentFor = (
  visitor: Visitor,
  representation: Representation,
  span: Span,
) => Content | null | Promise<Content | null>;

/** What an answer keeps besides its bytes until it was taken, measured. */
const ANSWER_BYTES = 48 * 1024;
/** What Bun keeps of a file that it sends over TLS, with a descriptor. */
const FILE_BYTES = 256 * 1024;
/** The rest of the memory for answers is left to streams: a file takes as much as five of them. */
const SHARE_OF_FILES = 0.75;

/**
 * Returns the choice. A client of HTTP/1.1 can leave one answer a connection untaken: it gets whole files. One of HTTP/2
 * can leave 256 of them, for a few bytes each: it gets what answers share, or what fits into the memory for answers, or
 * else a stream that is read only as far as it is taken. Bun sends no `Content-Length` with a stream.
 */
export function makeContentFor(bodies: Bodies, report: (error: unknown) => void): ContentFor {
  return (visitor, representation, span) => {
    const length = span.end - span.start;
    const inParts = () => {
      if (!visitor.holdMemory(ANSWER_BYTES + PART_BYTES)) return null;
      return streamOfParts((start, end) => bodies.part(representation, start, end), span, report);
    };
    const canHold = () => length <= PART_BYTES || visitor.holdMemory(ANSWER_BYTES + length);

    if (bodies.isSmall(representation)) {
      const sent = (body: Body) => {
        const isShared = body instanceof Blob || !visitor.isMultiplexed;
        return isShared || canHold() ? cut(body, representation, span) : inParts();
      };
      const body = bodies.read(representation);
      return body instanceof Promise ? body.then(sent) : sent(body);
    }
    if (visitor.isMultiplexed) {
      return length <= MAX_CACHED_BYTES && canHold() ? bodies.part(representation, span.start, span.end) : inParts();
    }
    if (!visitor.holdMemory(ANSWER_BYTES + FILE_BYTES, SHARE_OF_FILES)) return inParts();
    return cut(bodies.file(representation), representation, span);
  };
}

// --- internal ---

function cut<Bytes extends Body | Bun.BunFile>(bytes: Bytes, { size }: Representation, { start, end }: Span) {
  return start === 0 && end === size ? bytes : (bytes.slice(start, end) as Bytes);
}
