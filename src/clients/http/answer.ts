/** An HTTP/1.1 answer as far as its readers need it. */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether all of the content is there. */
  readonly complete: boolean;
}

/**
 * Reads what a server has sent so far. Null while the header section is not complete; throws when it is not HTTP.
 * Interim answers (1xx) are skipped.
 */
export function readHttpAnswer(bytes: Buffer): HttpAnswer | null {
  const start = bytes.subarray(0, 7).toString("latin1");
  if (!"HTTP/1.".startsWith(start.slice(0, 7))) throw new Error("not an HTTP/1 answer");
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine);
  if (!status) throw new Error("not an HTTP/1 answer");
  const rest = bytes.subarray(end + 4);
  const statusCode = Number(status[1]);
  if (statusCode < 200) return rest.length === 0 ? null : readHttpAnswer(rest);
  const headers = readHeaders(lines);
  return { statusCode, headers, ...readContent(statusCode, headers, rest) };
}

/** The first field of a name counts; nobody looks at one that may be repeated. */
function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (name !== "" && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function readContent(
  statusCode: number,
  headers: ReadonlyMap<string, string>,
  rest: Buffer,
): Pick<HttpAnswer, "body" | "complete"> {
  if (statusCode === 204 || statusCode === 304) return { body: Buffer.alloc(0), complete: true };
  if (/\bchunked\b/i.test(headers.get("transfer-encoding") ?? "")) return readChunks(rest);
  const length = headers.get("content-length");
  if (length === undefined || !/^\d+$/.test(length)) return { body: rest, complete: false };
  return { body: rest.subarray(0, Number(length)), complete: rest.length >= Number(length) };
}

function readChunks(rest: Buffer): Pick<HttpAnswer, "body" | "complete"> {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    const size = lineEnd === -1 ? null : /^[0-9a-f]{1,8}/i.exec(rest.subarray(at, lineEnd).toString("latin1"));
    if (!size) return { body: Buffer.concat(chunks), complete: false };
    const length = Number.parseInt(size[0], 16);
    if (length === 0) return { body: Buffer.concat(chunks), complete: true };
    const begin = lineEnd + 2;
    chunks.push(rest.subarray(begin, begin + length));
    if (rest.length < begin + length + 2) return { body: Buffer.concat(chunks), complete: false };
    at = begin + length + 2;
  }
}
