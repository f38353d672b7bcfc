import { AwsV4Signer } from "aws4fetch";
import type { S3Destination } from "../../domain/backups/destination.ts";
import { lengthened } from "../../domain/jitter.ts";
import { SECOND } from "../../domain/timestamp.ts";
import { codeOf, connectionFailure, refusal, type S3Response } from "./failure.ts";
import { type S3Keys, urlOf } from "./location.ts";

interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** The whole key; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The maximum size of the response, for the deadline. */
  readonly expectedBytes?: number;
}

/**
 * Sends a request and returns the response: 2xx, 404 for an object, or 416. Throws `unavailable` for everything else.
 */
export type S3Send = (request: S3Request) => Promise<S3Response>;

export interface S3Options {
  /** Milliseconds for a request without a large body. */
  readonly deadline?: number;
  /** A transfer below this rate, in bytes per second, counts as hanging. */
  readonly slowestRate?: number;
  /** Attempts of one request, for what cannot wait. */
  readonly attempts?: number;
  /** Called after each attempt with the seconds that it took, and whether it failed or was refused. */
  readonly observe?: (seconds: number, isFailed: boolean) => void;
  /** Waits before an attempt; replaced in tests only. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  /** The time for signatures; replaced in tests only. */
  readonly now?: () => number;
}

const DEADLINE_MS = 30 * SECOND;
/** For backups, which may take all night. */
const SLOWEST_RATE = 32 * 1024;

/** Attempts of one request. The backup as a whole is retried later. */
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;

/** `fetch` has no deadline of its own, so each attempt gets one for the response and one for its body. */
export function s3Sender(destination: S3Destination, keys: S3Keys, options: S3Options = {}): S3Send {
  const { deadline = DEADLINE_MS, slowestRate = SLOWEST_RATE, attempts = ATTEMPTS, observe } = options;
  const { wait = Bun.sleep, now = Date.now } = options;
  const timeFor = (bytes = 0) => deadline + (bytes / slowestRate) * SECOND;
  const cache = new Map<string, ArrayBuffer>();
  const signed = (request: S3Request) => sign(destination, { ...keys, cache, datetime: basicFormat(now()) }, request);
  return async (request) => {
    const limits = { response: timeFor(request.body?.length), body: timeFor(request.expectedBytes) };
    for (let attempt = 1; ; attempt++) {
      const begun = performance.now();
      const outcome = await exchange(await signed(request), limits).catch((error: unknown) => ({ error }));
      const isFailed = "error" in outcome || !isOwnResponse(request, outcome);
      observe?.((performance.now() - begun) / 1000, isFailed);
      if (attempt < attempts && isTransient(outcome)) {
        await wait(lengthened(FIRST_WAIT_MS * 2 ** (attempt - 1), Math.random()));
        continue;
      }
      if ("error" in outcome) throw connectionFailure(destination, outcome.error);
      if (!isFailed) return outcome;
      throw refusal(destination, outcome);
    }
  };
}

// --- internal ---

async function sign(
  destination: S3Destination,
  credentials: S3Keys & { readonly cache: Map<string, ArrayBuffer>; readonly datetime: string },
  { method, key, query = {}, headers = {}, body }: S3Request,
): Promise<Request> {
  const url = urlOf(destination, key);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // The server checks the digest, which detects transmission errors.
  const digest = new Bun.CryptoHasher("sha256").update(body ?? "").digest("hex");
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, "X-Amz-Content-Sha256": digest },
    service: "s3",
    region: destination.region,
    ...credentials,
  });
  const { headers: signedHeaders } = await signer.sign();
  return new Request(url.href, { method, headers: signedHeaders, body: body ?? null });
}

/** Formats a time as `20261123T020000Z`. */
function basicFormat(at: number): string {
  return new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
}

/** Rejects with a TimeoutError if the response does not start, or does not end, within its limit in milliseconds. */
async function exchange(
  request: Request,
  limits: { readonly response: number; readonly body: number },
): Promise<S3Response> {
  const over = new AbortController();
  const end = () => over.abort(new DOMException("no response in time", "TimeoutError"));
  let timer = setTimeout(end, limits.response);
  try {
    const response = await fetch(request, { redirect: "manual", signal: over.signal });
    clearTimeout(timer);
    timer = setTimeout(end, limits.body);
    return { status: response.status, headers: response.headers, body: await response.bytes() };
  } finally {
    clearTimeout(timer);
  }
}

/** Server errors and lost connections are temporary; a refusal is permanent. */
function isTransient(outcome: S3Response | { readonly error: unknown }): boolean {
  if ("error" in outcome) return !(outcome.error instanceof Error && outcome.error.name === "TimeoutError");
  return outcome.status >= 500 || outcome.status === 429 || outcome.status === 408;
}

function isOwnResponse({ key }: S3Request, response: S3Response): boolean {
  const { status } = response;
  if (status >= 200 && status < 300) return true;
  return key !== "" && (status === 416 || (status === 404 && codeOf(response) !== "NoSuchBucket"));
}
