import { connect as connectTcp, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls, type TLSSocket } from "node:tls";
import type { ProbeAnswer, ProbeFailure, ProbeRequest, ProbeResult, Prober } from "../../domain/ports/edge.ts";
import { type HttpAnswer, readHttpAnswer } from "./http-answer.ts";
import { isPublicAddress } from "./public-address.ts";

export interface ProberOptions {
  readonly ports: { readonly http: number; readonly https: number };
  /** Lets probes reach loopback and private addresses; for tests and closed networks. */
  readonly allowPrivate: boolean;
}

/** Limits of threats from whoever a claimed name points to: they answer in time and in brief, or not at all. */
const TIME_LIMIT = 5000;
const SIZE_LIMIT = 64 * 1024;
const SHOWN_FIELD = 300;

/** An answer is judged anew with every piece that arrives, but not for ever: one that trickles in is judged at its end. */
const MOST_PIECES = 64;

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

/**
 * Probes over sockets of its own: `fetch` would look the name up again, honour proxy settings of the environment and
 * hide the certificate that a visitor would see.
 */
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

function ask(request: ProbeRequest, port: number, signal: AbortSignal): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const { address } = request;
    const secure = request.scheme === "https";
    const socket = secure ? openTls(request, port) : connectTcp({ host: address, port });
    let reached = false;
    let received: Buffer = Buffer.alloc(0);
    let pieces = 0;

    const finish = (result: ProbeResult) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stopped);
      resolve(result);
      socket.destroy();
    };
    const fail = (kind: ProbeFailure["kind"], reason: string) => finish({ kind, address, reason });
    const stopped = () => fail("timeout", "the check ran out of time");
    const timer = setTimeout(() => fail("timeout", `nothing within ${TIME_LIMIT / 1000} s`), TIME_LIMIT);
    signal.addEventListener("abort", stopped);
    if (signal.aborted) return stopped();

    const read = (last: boolean) => {
      try {
        const answer = readHttpAnswer(received);
        if (answer && (last || answer.complete || received.length >= SIZE_LIMIT)) {
          finish({ ...toAnswer(address, answer), ...certificateOf(socket, request) });
        } else if (last || received.length >= SIZE_LIMIT) fail("nonsense", "the answer ended in the middle");
      } catch (error) {
        fail("nonsense", (error as Error).message);
      }
    };
    socket.on(secure ? "secureConnect" : "connect", () => {
      reached = true;
      socket.write(requestText(request));
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]).subarray(0, SIZE_LIMIT);
      if (++pieces <= MOST_PIECES || received.length >= SIZE_LIMIT) read(false);
    });
    socket.on("end", () => reached && read(true));
    socket.on("error", (error: Error & { code?: string }) => {
      const reason = error.code ?? error.message;
      if (UNREACHED.has(reason) || (!secure && !reached)) fail("connect", wordsFor(reason));
      else fail(reached ? "nonsense" : "tls", reason);
    });
    socket.on("close", () => fail(reached ? "nonsense" : secure ? "tls" : "connect", "the connection was closed"));
  });
}

/** Whatever the certificate says, the answer is of interest: trust is judged and reported apart. */
function openTls({ address, hostname }: ProbeRequest, port: number): TLSSocket {
  return connectTls({
    host: address,
    port,
    servername: hostname,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
}

function requestText({ hostname, path }: ProbeRequest): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    "User-Agent: Vitrine-Probe",
    "Accept: text/plain",
    "Accept-Encoding: identity",
    "Cache-Control: no-cache",
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
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

function certificateOf(
  socket: Socket | TLSSocket,
  { scheme, hostname }: ProbeRequest,
): Pick<ProbeAnswer, "certificateError" | "certificateNamesHost"> {
  if (scheme === "http" || !("authorized" in socket)) return { certificateError: null, certificateNamesHost: false };
  const certificate = socket.getPeerCertificate();
  const known = certificate && Object.keys(certificate).length > 0;
  const certificateNamesHost = known && checkServerIdentity(hostname, certificate) === undefined;
  if (socket.authorized) return { certificateError: null, certificateNamesHost };
  const reason = String(socket.authorizationError ?? "unknown reason");
  return { certificateError: wordsFor(reason), certificateNamesHost };
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
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
