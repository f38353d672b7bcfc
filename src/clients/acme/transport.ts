import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { boundedText } from "../../domain/bounded-text.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { type JsonObject, parseJsonObject } from "../../domain/json.ts";
import { CertificateFailure } from "../../domain/ports/certificate-authority.ts";
import { printable } from "../../domain/printable.ts";
import { HOUR, SECOND } from "../../domain/timestamp.ts";
import { CONNECTION_WORDS } from "../http/exchange.ts";

/** Without a response by then, the CA counts as unreachable; the order is resumed later. */
const REQUEST_TIMEOUT_MS = 30 * SECOND;

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Wait after a rate limit without Retry-After: the shortest window of Let's Encrypt. */
const RATE_LIMIT_PAUSE_MS = HOUR;

/** A request that the CA refused with a problem document (RFC 8555 section 6.7), or that had no valid response. */
export class AcmeProblem extends CertificateFailure {
  constructor(
    kind: CertificateFailure["failure"]["kind"],
    error: string,
    /** The last segment of the problem's type, such as `rateLimited`; empty if there is none. */
    readonly type = "",
    retryAfter: number | null = null,
    /** The status of the response; 0 if there was none. */
    readonly status = 0,
  ) {
    super({ kind, error, authority: null, retryAfter });
  }
}

interface AcmeResponse {
  readonly headers: Headers;
  readonly text: string;
}

interface AcmeRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** A signed request in JWS form. */
  readonly body?: string;
}

/** Sends one request to the CA, without retries. Throws AcmeProblem for unsuccessful responses. */
export type AcmeFetch = (url: string, request?: AcmeRequest) => Promise<AcmeResponse>;

/** Returns the fetch for a CA that trusts the system's roots and `extraRoot`, a PEM certificate. */
export function acmeFetch(extraRoot: string | null): AcmeFetch {
  const tls = extraRoot === null ? {} : { tls: { ca: [...getCACertificates("default"), extraRoot] } };
  return async (url, { method, body } = { method: "GET" }) => {
    const headers = { "Content-Type": "application/jose+json", "User-Agent": "vitrine" };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }), ...tls });
      text = await readText(response);
    } catch (error) {
      const reason = CONNECTION_WORDS[errorCode(error)] ?? messageOf(error);
      throw new AcmeProblem("unreachable", `the CA at ${hostOf(url)} cannot be reached: ${reason}`);
    }
    if (response.status >= 400) throw problemOf(url, response, text);
    return { headers: response.headers, text };
  };
}

/** Fetches an unsigned JSON object: the directory, and renewal information. Throws AcmeProblem. */
export async function fetchJson(
  fetch: AcmeFetch,
  url: string,
): Promise<{ body: JsonObject; retryAfter: number | null }> {
  const { text, headers } = await fetch(url);
  return { body: objectOf(url, text), retryAfter: parseRetryAfter(headers.get("retry-after"), Date.now()) };
}

/** Returns the JSON object in a response. Throws AcmeProblem. */
export function objectOf(url: string, text: string): JsonObject {
  const body = parseJsonObject(text);
  if (body === null) throw malformedResponse(url);
  return body;
}

/** Parses a Retry-After in either form (RFC 9110 section 10.2.3) to milliseconds; null if malformed. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/** Returns the `detail` of a problem document (RFC 9457), for people; null if it has none. */
export function detailOf(problem: unknown): string | null {
  const detail = (problem as { detail?: unknown } | null | undefined)?.detail;
  return typeof detail === "string" ? printable(detail.slice(0, 500)) : null;
}

export function malformedResponse(url: string): AcmeProblem {
  return new AcmeProblem("unreachable", `the CA at ${hostOf(url)} sent a malformed response`);
}

/** Reads an additional trust root. Throws an error with a message for the operator. */
export function readTrustRoot(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`the trust root ${file} cannot be read: ${messageOf(error)}`);
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error(`the trust root ${file} holds no PEM certificate`);
  return pem;
}

// --- internal ---

function problemOf(url: string, { status, headers }: Response, text: string): AcmeProblem {
  const problem = parseJsonObject(text) ?? {};
  const type = typeof problem.type === "string" ? (problem.type.split(":").at(-1) ?? "") : "";
  const detail = detailOf(problem) ?? `status ${status}`;
  const requested = parseRetryAfter(headers.get("retry-after"), Date.now());
  const limited = status === 429 || type === "rateLimited";
  const kind = status >= 500 || (type === "" && !limited) ? "unreachable" : "refused";
  const retryAfter = requested ?? (limited ? RATE_LIMIT_PAUSE_MS : null);
  return new AcmeProblem(kind, `the CA at ${hostOf(url)} refused: ${detail}`, type, retryAfter, status);
}

async function readText(response: Response): Promise<string> {
  const text = await boundedText(response, MAX_RESPONSE_BYTES);
  if (text === null) throw new Error("the response is too long");
  return text;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
