import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { axios } from "acme-client";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { CertificateFailure } from "../../domain/ports/certificate-authority.ts";
import { HOUR, SECOND } from "../../domain/timestamp.ts";
import { CONNECTION_WORDS } from "../http/connection-error.ts";

/** A CA that has not answered a request by then is taken for dead; the order is resumed later. */
const REQUEST_TIMEOUT = 30 * SECOND;

/** Certificate chains are a few kilobytes, directories less. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A limit without a Retry-After: the shortest window that Let's Encrypt counts over. */
const RATE_LIMIT_PAUSE = HOUR;

/** What a CA answered instead of what was asked for: a problem document (RFC 8555 section 6.7), or no sense at all. */
export class AcmeProblem extends CertificateFailure {
  constructor(
    kind: CertificateFailure["failure"]["kind"],
    error: string,
    /** The last segment of the problem's type, such as `rateLimited`; empty when there is none. */
    readonly type = "",
    retryAfter: number | null = null,
    /** The status of the answer; 0 when there was none. */
    readonly status = 0,
  ) {
    super({ kind, error, authority: null, retryAfter });
  }
}

/** Roots by which a CA's own server is judged, by its host: those of the system and, where set, one more. */
const rootsByHost = new Map<string, string[]>();

/**
 * Reads the extra trust root for reaching the CA of a directory. Throws with one sentence when the file is unusable.
 * acme-client shares one axios among all clients, hence the table.
 */
export function trustRoot(directory: string, caFile: string | null): void {
  if (caFile === null) return;
  rootsByHost.set(new URL(directory).host, [...getCACertificates("default"), readRoots(caFile)]);
}

/** Fetches JSON without a signature: the directory, and renewal information. Rejects with AcmeProblem. */
export async function fetchJson(url: string): Promise<{ body: Record<string, unknown>; retryAfter: number | null }> {
  const { text, headers } = await send(url, "GET", undefined);
  const body = parseObject(text);
  if (body === null) throw nonsense(url);
  return { body, retryAfter: parseRetryAfter(headers.get("retry-after"), Date.now()) };
}

/** Returns the milliseconds a Retry-After asks for, in either of its forms (RFC 9110 section 10.2.3); null for nonsense. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/*
 * acme-client retries what fails by itself, sleeping for as long as the CA says, knows no time-out, and reduces every
 * problem to its text. With this in the place of axios's own adapter it does none of it: an answer that is not a
 * success ends the request with all that the ladder of retries needs to know. A bad nonce alone passes through:
 * acme-client repeats such a request at once, as RFC 8555 section 6.5 wants.
 */
axios.defaults.adapter = async (config) => {
  const method = (config.method ?? "get").toUpperCase();
  const answer = await send(config.url ?? "", method, config.data as string | undefined);
  const headers = Object.fromEntries(answer.headers);
  return { data: answer.text, status: answer.status, statusText: "", headers, config };
};

// --- internal ---

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(url: string, method: string, body: string | undefined): Promise<Answer> {
  let answer: Answer;
  try {
    const ca = rootsByHost.get(new URL(url).host);
    const response = await fetch(url, {
      method,
      headers: { "Content-Type": "application/jose+json", "User-Agent": "vitrine" },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
      ...(body === undefined ? {} : { body }),
      ...(ca ? { tls: { ca } } : {}),
    });
    answer = { status: response.status, headers: response.headers, text: await readText(response) };
  } catch (error) {
    const reason = CONNECTION_WORDS[errorCode(error)] ?? messageOf(error);
    throw new AcmeProblem("unreachable", `the CA at ${hostOf(url)} cannot be reached: ${reason}`);
  }
  if (answer.status >= 400) throwUnlessBadNonce(url, answer);
  return answer;
}

function throwUnlessBadNonce(url: string, { status, headers, text }: Answer): void {
  const problem = parseObject(text) ?? {};
  const type = typeof problem.type === "string" ? (problem.type.split(":").at(-1) ?? "") : "";
  if (type === "badNonce") return;
  const detail = typeof problem.detail === "string" ? problem.detail.slice(0, 500) : `status ${status}`;
  const asked = parseRetryAfter(headers.get("retry-after"), Date.now());
  const limited = status === 429 || type === "rateLimited";
  const kind = status >= 500 || (type === "" && !limited) ? "unreachable" : "refused";
  const retryAfter = asked ?? (limited ? RATE_LIMIT_PAUSE : null);
  throw new AcmeProblem(kind, `the CA at ${hostOf(url)} refused: ${detail}`, type, retryAfter, status);
}

async function readText(response: Response): Promise<string> {
  const bytes: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error("the answer is too long");
    bytes.push(chunk);
  }
  return Buffer.concat(bytes).toString("utf8");
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function nonsense(url: string): AcmeProblem {
  return new AcmeProblem("unreachable", `the CA at ${hostOf(url)} gave an answer that makes no sense`);
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function readRoots(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`the trust root ${file} cannot be read: ${messageOf(error)}`);
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error(`the trust root ${file} holds no PEM certificate`);
  return pem;
}
