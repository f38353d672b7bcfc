import { boundedText } from "./bounded-text.ts";

/** Why there is no JSON object; `what` completes a sentence that starts with the name of the peer. */
export class FetchFailure extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

export interface JsonResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
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
  return { status: response.status, body: objectOf(await readText(response), response.status) };
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

function objectOf(text: string, status: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, without the text, which may contain anything.
  }
  throw new FetchFailure(`sent a response that is not JSON (status ${status})`);
}

async function readText(response: Response): Promise<string> {
  const text = await boundedText(response, MAX_BYTES).catch((cause: unknown) => {
    throw new FetchFailure(isTimeout(cause) ? "did not respond in time" : "broke off its response");
  });
  if (text === null) throw new FetchFailure("sent a response that is too long");
  return text;
}
