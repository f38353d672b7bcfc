import type { S3Destination } from "../../domain/backups/destination.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import { textOf } from "./xml.ts";

export interface S3Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Returns S3's error code, such as `NoSuchBucket`; empty if the response has none. */
export function codeOf({ body }: S3Response): string {
  return textOf(new TextDecoder().decode(body), "Code") ?? "";
}

/** Returns an error response as an error with a remedy. */
export function refusal(destination: S3Destination, response: S3Response): DomainError {
  return unavailable(destination, reasonOf(destination, response));
}

/** Returns a connection error as an error with a readable message. */
export function connectionFailure(destination: S3Destination, error: unknown): DomainError {
  if (error instanceof Error && error.name === "TimeoutError") return unavailable(destination, "no response in time");
  const code = errorCode(error);
  return unavailable(destination, CONNECTION_WORDS[code] ?? `the connection failed (${code || messageOf(error)})`);
}

// --- internal ---

const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  FailedToOpenSocket: "the host cannot be reached or its name cannot be resolved",
  ConnectionClosed: "connection broken off",
  ECONNRESET: "connection broken off",
};

function unavailable({ endpoint, bucket }: S3Destination, reason: string): DomainError {
  return new DomainError("unavailable", `the bucket ${bucket} at ${new URL(endpoint).host} cannot be used: ${reason}`);
}

function reasonOf(destination: S3Destination, response: S3Response): string {
  const { status, headers } = response;
  const code = codeOf(response);
  const known = REASONS[code]?.(destination);
  if (known !== undefined) return known;
  const region = headers.get("x-amz-bucket-region") ?? textOf(new TextDecoder().decode(response.body), "Region");
  if (REDIRECTS.includes(status) || code === "AuthorizationHeaderMalformed") {
    const there = region === null ? "another region or at another endpoint" : `the region ${region}`;
    return `it is in ${there}, not in ${destination.region}: change region= or endpoint= in the URL`;
  }
  return `the server answered ${status}${code === "" ? "" : ` ${code}`}`;
}

const REDIRECTS: readonly number[] = [301, 302, 307, 308];

const REASONS: Readonly<Record<string, (destination: S3Destination) => string>> = {
  InvalidAccessKeyId: () => "the access key is unknown there: check VITRINE_S3_ACCESS_KEY_ID",
  SignatureDoesNotMatch: () => "the secret key is wrong: check VITRINE_S3_SECRET_ACCESS_KEY",
  RequestTimeTooSkewed: () => "the clock of this machine differs too much from the server's: set it",
  NoSuchBucket: ({ bucket }) => `there is no such bucket: create ${bucket}, or check the URL`,
  AccessDenied: () => "the access key may not do this: allow it to list, read, write and delete objects",
  QuotaExceeded: () => "its quota is used up: raise it, or keep less there",
};
