import { DomainError, fieldError } from "../domain/errors.ts";
import { isJsonObject } from "../domain/json.ts";
import { requestIsWhole } from "./connection.ts";

/** Far above every valid JSON body of this API. A larger body is refused before it is read completely. */
export const MAX_JSON_BYTES = 64 * 1024;

/** The media type of a form. */
export const FORM = "application/x-www-form-urlencoded";

/** No valid request nests deeper, and the validator is recursive. */
const MAX_JSON_DEPTH = 32;

/**
 * Returns the JSON object of a request's body; undefined for an empty body, whatever its headers. Throws `validation`
 * for another content type or value or invalid JSON, and `limit_exceeded` over 64 kB.
 */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request, MAX_JSON_BYTES);
  return text === "" ? undefined : jsonObject(request, text);
}

function jsonObject(request: Request, text: string): unknown {
  if (!isJson(request)) {
    throw fieldError(["header", "content-type"], "Send the body as application/json", "content_type");
  }
  const value = parseJson(text);
  if (!isJsonObject(value)) throw fieldError(["body"], "The body must be a JSON object", "object_type");
  if (isDeeper(value, MAX_JSON_DEPTH)) throw fieldError(["body"], "The body nests too deeply", "json_invalid");
  return value;
}

/**
 * Returns whether every object inherits a property of this name. No field of the API has such a name, and a value of
 * the sender would replace it: `__proto__` of the object it is copied into, `toString` when the validator formats its
 * message.
 */
function isInherited(key: string): boolean {
  return key in Object.prototype;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value) => (isInherited(key) ? undefined : value));
  } catch {
    throw fieldError(["body"], "The body is not valid JSON", "json_invalid");
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function isJson(request: Request): boolean {
  return /^application\/(json|[\w.-]+\+json)$/.test(mediaType(request));
}

/** Returns the media type of the body in lower case, without parameters; empty if there is none. */
export function mediaType({ headers }: Request): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/**
 * Returns the body as text of at most `limit` bytes. Throws `limit_exceeded` at the first byte more, and `invalid` if
 * the body ends early or is not UTF-8, because replaced by `\ufffd`, invalid bytes would become part of names.
 */
export async function readText(request: Request, limit: number): Promise<string> {
  if (!request.body) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const chunk of whole(request.body)) {
    size += chunk.byteLength;
    if (size > limit) throw new DomainError("limit_exceeded", `the body is too large: at most ${limit} bytes are read`);
    text += decoded(() => decoder.decode(chunk, { stream: true }));
  }
  requestIsWhole(request);
  return text + decoded(() => decoder.decode());
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new DomainError("invalid", "the body is not valid UTF-8");
  }
}

/** An error while a body arrives comes from the client or the network, and is not an internal error. */
async function* whole(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new DomainError("invalid", "the request ended before its body was complete");
  }
}

/** Like `readJson`, but also accepts a form (RFC 8628). If a field occurs twice, the first one counts. */
export async function readJsonOrForm(request: Request): Promise<unknown> {
  const text = await readText(request, MAX_JSON_BYTES);
  if (text === "") return undefined;
  return mediaType(request) === FORM ? formObject(text) : jsonObject(request, text);
}

function formObject(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)].filter(([name]) => !isInherited(name));
  return Object.fromEntries(fields.reverse());
}
