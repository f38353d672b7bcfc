import { DomainError, fieldError } from "../domain/errors.ts";
import { requestIsWhole } from "./connection.ts";

/** No JSON body of this API comes near; what is larger is refused before it is read to its end. */
export const MAX_JSON_BYTES = 64 * 1024;

/**
 * Returns the JSON object of a request's body. Throws `validation` for another content type or value or broken JSON, and
 * `limit_exceeded` over 64 kB.
 */
export async function readJson(request: Request): Promise<unknown> {
  if (!isJson(request)) {
    throw fieldError(["header", "content-type"], "Send the body as application/json", "content_type");
  }
  const value = parseJson(await readText(request, MAX_JSON_BYTES));
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject) throw fieldError(["body"], "The body must be a JSON object", "object_type");
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fieldError(["body"], "The body is not valid JSON", "json_invalid");
  }
}

export function isJson(request: Request): boolean {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  return /^application\/(json|[\w.-]+\+json)$/i.test(type.trim());
}

/**
 * Returns the body as text of at most `limit` bytes. Throws `limit_exceeded` at the first byte more, and `invalid` where
 * the body ends early.
 */
export async function readText(request: Request, limit: number): Promise<string> {
  if (!request.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of whole(request.body)) {
    size += chunk.byteLength;
    if (size > limit) throw new DomainError("limit_exceeded", `the body is larger than ${limit} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  requestIsWhole(request);
  return text + decoder.decode();
}

/** What fails while a body arrives is its sender or the network, and no failure of ours. */
async function* whole(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new DomainError("invalid", "the request ended before its body was complete");
  }
}

/** Returns the fields of a form of ours or of OAuth; of a field that came twice, the first. */
async function readFormFields(request: Request): Promise<Record<string, string>> {
  const fields = [...new URLSearchParams(await readText(request, MAX_JSON_BYTES))].reverse();
  return Object.fromEntries(fields);
}

/** Returns a body that is JSON or a form, as RFC 8628 has it; an empty one is an empty object. */
export async function readJsonOrForm(request: Request): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() === "application/x-www-form-urlencoded") return readFormFields(request);
  return type === "" && request.headers.get("content-length") === "0" ? {} : readJson(request);
}
