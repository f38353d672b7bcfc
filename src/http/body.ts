import { DomainError, fieldError } from "../domain/errors.ts";

/** No JSON body of this API comes near; what is larger is refused before it is read to its end. */
const MAX_JSON_BYTES = 64 * 1024;

/**
 * Returns the JSON body of a request. Throws `validation` for another content type or broken JSON, and
 * `limit_exceeded` over 64 kB.
 */
export async function readJson(request: Request): Promise<unknown> {
  if (!isJson(request)) {
    throw fieldError(["header", "content-type"], "Send the body as application/json", "content_type");
  }
  const text = await readText(request, MAX_JSON_BYTES);
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

/** Returns the body as text of at most `limit` bytes; throws `limit_exceeded` at the first byte more. */
export async function readText(request: Request, limit: number): Promise<string> {
  if (!request.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limit) throw new DomainError("limit_exceeded", `the body is larger than ${limit} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
