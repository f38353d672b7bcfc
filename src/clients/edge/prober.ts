import type { ProbeFailure, ProbeRequest, ProbeResponse, ProbeResult, Prober } from "../../domain/ports/edge.ts";
import { CONNECTION_WORDS, type Exchange, exchange, type Peer } from "../http/exchange.ts";
import { isPublicAddress } from "../http/public-address.ts";

interface ProberOptions {
  readonly ports: { readonly http: number; readonly https: number };
  /** Allows probes of loopback and private addresses, for tests and closed networks. */
  readonly allowPrivate: boolean;
  /** Milliseconds for a probe; 5 seconds by default. */
  readonly timeLimit?: number;
}

/** A claimed name may point to any server, so that responses are limited in time and size. */
const TIME_LIMIT_MS = 5000;
const MAX_BYTES = 64 * 1024;
const MAX_SHOWN_FIELD = 300;

/** Error codes of connection failures. */
const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EACCES",
  "EPERM",
  "ETIMEDOUT",
]);

/** Probes an address and returns the response that a visitor would get there. */
export function socketProber({ ports, allowPrivate, timeLimit = TIME_LIMIT_MS }: ProberOptions): Prober {
  return {
    async probe(request, signal) {
      const { address } = request;
      if (!allowPrivate && !isPublicAddress(address)) {
        const reason = "is not a public address, and probes of others are refused (--allow-private-probes is off)";
        return { kind: "refused", address, reason };
      }
      return ask(request, ports[request.scheme], signal, timeLimit);
    },
  };
}

// --- internal ---

async function ask(request: ProbeRequest, port: number, signal: AbortSignal, timeLimit: number): Promise<ProbeResult> {
  const { address, hostname, path, scheme } = request;
  const headers = {
    Host: hostname,
    "User-Agent": "Vitrine-Probe",
    Accept: "text/plain",
    "Accept-Encoding": "identity",
    "Cache-Control": "no-cache",
  };
  const isSecure = scheme === "https";
  const requested = { address, port, secure: isSecure, hostname, method: "GET", path, headers, maxBytes: MAX_BYTES };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeLimit)]);
  // The certificate is reported in addition to the response.
  const result = await exchange({ ...requested, requiresTrust: false }, limit);
  const failure = (kind: ProbeFailure["kind"], reason: string): ProbeFailure => ({ kind, address, reason });
  switch (result.kind) {
    case "response":
      return { ...toResponse(address, result), ...certificateOf(result.peer) };
    case "failed":
      return failure(failureKind(result), wordsFor(result.code));
    case "aborted":
      return failure("timeout", signal.aborted ? "the check ran out of time" : `nothing within ${timeLimit / 1000} s`);
    default:
      return result satisfies never;
  }
}

function failureKind({ stage, code }: Extract<Exchange, { kind: "failed" }>): ProbeFailure["kind"] {
  if (stage === "response") return "malformed";
  return stage === "connect" || UNREACHED.has(code) ? "connect" : "tls";
}

function toResponse(
  address: string,
  { statusCode, headers, body }: Extract<Exchange, { kind: "response" }>,
): Omit<ProbeResponse, "certificateError" | "certificateNamesHost"> {
  const field = (name: string) =>
    headers[name]
      ?.toString()
      .slice(0, MAX_SHOWN_FIELD)
      .replaceAll(/[^\x20-\x7e]/g, "?") ?? null;
  return {
    kind: "answered",
    address,
    statusCode,
    body: body.subarray(0, 1024).toString("latin1"),
    location: field("location"),
    ray: field("cf-ray"),
    cacheStatus: field("cf-cache-status"),
  };
}

/** An untrusted certificate does not abort the probe; it is reported separately. */
function certificateOf(peer: Peer | null): Pick<ProbeResponse, "certificateError" | "certificateNamesHost"> {
  if (peer === null) return { certificateError: null, certificateNamesHost: false };
  const { authorizationError, namesHost } = peer;
  const certificateError = authorizationError === null ? null : wordsFor(authorizationError);
  return { certificateError, certificateNamesHost: namesHost };
}

const WORDS: Readonly<Record<string, string>> = {
  ...CONNECTION_WORDS,
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for other names",
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its authority is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its authority is unknown",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its authority is unknown",
};

function wordsFor(code: string): string {
  return WORDS[code] ?? code;
}
