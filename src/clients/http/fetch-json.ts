import { boundedText } from "../../domain/bounded-text.ts";
import { type JsonObject, parseJsonObject } from "../../domain/json.ts";

/** Why there is no JSON object; `what` completes a sentence that starts with the name of the peer. */
export class FetchFailure extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

export interface JsonResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/** Bodies usually have 2 kB. */
const MAX_BYTES = 256 * 1024;

/** Fetches a JSON object of at most 256 KiB. Follows no redirect. Throws `FetchFailure`, also once the signal is aborted. */
export async function fetchJson(
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<JsonResponse> {
  const response = await fetch(url, { ...init, redirect: "manual" }).catch((cause: unknown) => {
    throw new FetchFailure(reasonOf(cause));
  });
  if (response.status >= 300 && response.status < 400) throw new FetchFailure("redirected the request elsewhere");
  const body = parseJsonObject(await readText(response));
  // Without the text, which may contain anything.
  if (body === null) throw new FetchFailure(`sent a response that is not JSON (status ${response.status})`);
  return { status: response.status, body };
}

export function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

// --- internal ---

/** Bun's error codes for an untrusted certificate. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;

function reasonOf(cause: unknown): string {
  if (isTimeout(cause)) return "did not respond in time";
  const { code = "" } = cause as { readonly code?: string };
  return UNTRUSTED.test(code) ? `has a certificate that is not trusted (${code})` : "cannot be reached";
}

async function readText(response: Response): Promise<string> {
  const text = await boundedText(response, MAX_BYTES).catch((cause: unknown) => {
    throw new FetchFailure(isTimeout(cause) ? "did not respond in time" : "broke off its response");
  });
  if (text === null) throw new FetchFailure("sent a response that is too long");
  return text;
}
