import { messageOf } from "../../domain/error-message.ts";
import type { ProbeAnswer, ProbeFailure, ProbeRequest, ProbeResult, Prober } from "../../domain/ports/edge.ts";
import { type HttpAnswer, readHttpAnswer } from "../http/answer.ts";
import { CONNECTION_WORDS } from "../http/connection-error.ts";
import { type Exchange, exchange, type Peer } from "../http/exchange.ts";
import { isPublicAddress } from "../http/public-address.ts";

export interface ProberOptions {
  readonly ports: { readonly http: number; readonly https: number };
  /** Lets probes reach loopback and private addresses; for tests and closed networks. */
  readonly allowPrivate: boolean;
}

/** Limits of threats from whoever a claimed name points to: they answer in time and in brief, or not at all. */
const TIME_LIMIT = 5000;
const SIZE_LIMIT = 64 * 1024;
const SHOWN_FIELD = 300;

/** Failures of the way to an address, as opposed to what happens once it is reached. */
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

/** Probes the address itself, and tells what a visitor who was sent there would see. */
export function socketProber({ ports, allowPrivate }: ProberOptions): Prober {
  return {
    async probe(request, signal) {
      const { address } = request;
      if (!allowPrivate && !isPublicAddress(address)) {
        const reason = "is not a public address, and probes of others are refused (--allow-private-probes is off)";
        return { kind: "refused", address, reason };
      }
      return ask(request, ports[request.scheme], signal);
    },
  };
}

// --- internal ---

async function ask(request: ProbeRequest, port: number, signal: AbortSignal): Promise<ProbeResult> {
  const { address, hostname, path, scheme } = request;
  const secure = scheme === "https";
  const over = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]);
  const headers = {
    Host: hostname,
    "User-Agent": "Vitrine-Probe",
    Accept: "text/plain",
    "Accept-Encoding": "identity",
    "Cache-Control": "no-cache",
  };
  const asked = { address, port, secure, hostname, method: "GET", path, headers, sizeLimit: SIZE_LIMIT };
  const seen = await exchange(asked, over);
  const late = signal.aborted ? "the check ran out of time" : `nothing within ${TIME_LIMIT / 1000} s`;
  return judge(seen, { address, secure, late });
}

interface Asked {
  readonly address: string;
  readonly secure: boolean;
  /** Why it was over before the answer came, if it was. */
  readonly late: string;
}

function judge({ ending, sent, received, peer }: Exchange, { address, secure, late }: Asked): ProbeResult {
  const failure = (kind: ProbeFailure["kind"], reason: string): ProbeFailure => ({ kind, address, reason });
  switch (ending.kind) {
    case "read":
      try {
        const answer = readHttpAnswer(received);
        if (!answer) return failure("nonsense", "the answer ended in the middle");
        return { ...toAnswer(address, answer), ...certificateOf(peer) };
      } catch (error) {
        return failure("nonsense", messageOf(error));
      }
    case "failed":
      if (UNREACHED.has(ending.code) || (!secure && !sent)) return failure("connect", wordsFor(ending.code));
      return failure(sent ? "nonsense" : "tls", wordsFor(ending.code));
    case "refused":
    case "closed":
      return failure(sent ? "nonsense" : secure ? "tls" : "connect", "the connection was closed");
    case "aborted":
      return failure("timeout", late);
    default:
      return ending satisfies never;
  }
}

function toAnswer(
  address: string,
  { statusCode, headers, body }: HttpAnswer,
): Omit<ProbeAnswer, "certificateError" | "certificateNamesHost"> {
  const field = (name: string) =>
    headers
      .get(name)
      ?.slice(0, SHOWN_FIELD)
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

/** Whatever the certificate says, the answer is of interest: trust is judged and reported apart. */
function certificateOf(peer: Peer | null): Pick<ProbeAnswer, "certificateError" | "certificateNamesHost"> {
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
