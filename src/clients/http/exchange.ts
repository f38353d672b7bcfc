import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, type TLSSocket } from "node:tls";
import { errorCode } from "../../domain/error-message.ts";

export interface ExchangeRequest {
  /** The IP address to connect to; no name is resolved. */
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** Sent as SNI, and required in the certificate. */
  readonly hostname: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Including Host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum bytes read of the response body. */
  readonly maxBytes: number;
  /** True to abort before sending if the certificate is not trusted for the hostname; otherwise it is only reported. */
  readonly requiresTrust: boolean;
}

/** The peer of a TLS connection. */
export interface Peer {
  /** The code of the trust error; null if the certificate is trusted. */
  readonly authorizationError: string | null;
  readonly namesHost: boolean;
}

/** The stage in which an exchange failed. Only in stage `response` may the peer have received the request. */
type Stage = "connect" | "tls" | "response";

export type Exchange =
  | {
      readonly kind: "response";
      readonly statusCode: number;
      readonly headers: IncomingMessage["headers"];
      /** Up to `maxBytes` of the body. */
      readonly body: Buffer;
      /** Null without TLS. */
      readonly peer: Peer | null;
    }
  | { readonly kind: "failed"; readonly stage: Stage; readonly code: string }
  /** The signal was aborted; `statusCode` is null before the header section arrived. */
  | { readonly kind: "aborted"; readonly stage: Stage; readonly statusCode: number | null };

/** More than servers send; Node's default is 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Sends one HTTP/1.1 request to an IP address, on a new connection, and reads the response within limits. Never
 * rejects; ends at once when the signal is aborted. `fetch` would resolve the name again, follow the proxy settings of
 * the environment, and hide the certificate.
 */
export function exchange(requested: ExchangeRequest, signal: AbortSignal): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  if (signal.aborted) return Promise.resolve({ kind: "aborted", stage: "connect", statusCode: null });
  let stage: Stage = "connect";
  let peer: Peer | null = null;
  let response: IncomingMessage | null = null;
  const chunks: Buffer[] = [];

  const request = open(requested);
  const finish = (result: Exchange) => {
    signal.removeEventListener("abort", abort);
    resolve(result);
    request.destroy();
  };
  const abort = () => finish({ kind: "aborted", stage, statusCode: response?.statusCode ?? null });
  const finishResponse = ({ statusCode, headers }: IncomingMessage) => {
    const body = Buffer.concat(chunks).subarray(0, requested.maxBytes);
    finish({ kind: "response", statusCode: statusCode ?? 0, headers, body, peer });
  };
  signal.addEventListener("abort", abort);

  request.on("socket", (socket) => {
    socket.on("connect", () => {
      stage = requested.secure ? "tls" : "response";
    });
    socket.on("secureConnect", () => {
      stage = "response";
      peer = peerOf(socket as TLSSocket, requested.hostname);
    });
  });
  request.on("response", (arrived) => {
    response = arrived;
    let size = 0;
    arrived.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= requested.maxBytes) finishResponse(arrived);
    });
    // A truncated response counts with what was received.
    for (const ending of ["end", "error", "close"]) arrived.on(ending, () => finishResponse(arrived));
  });
  request.on("error", (error) => finish({ kind: "failed", stage, code: errorCode(error) }));
  request.end(requested.body);
  return promise;
}

/** Messages for connection error codes. */
export const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection broken off",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "no response in time",
};

// --- internal ---

function open({
  address,
  port,
  secure,
  hostname,
  method,
  path,
  headers,
  requiresTrust,
}: ExchangeRequest): ClientRequest {
  const options: RequestOptions = {
    host: address,
    port,
    method,
    path,
    headers,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  if (!secure) return httpRequest(options);
  return httpsRequest({
    ...options,
    // SNI must not contain an IP address (RFC 6066 section 3).
    servername: isIP(hostname) === 0 ? hostname : "",
    rejectUnauthorized: requiresTrust,
    checkServerIdentity: (_name, certificate) => checkServerIdentity(hostname, certificate),
  });
}

function peerOf(socket: TLSSocket, hostname: string): Peer {
  const { authorizationError } = socket;
  const code = authorizationError ? errorCode(authorizationError) || String(authorizationError) : null;
  return {
    authorizationError: code,
    namesHost: checkServerIdentity(hostname, socket.getPeerCertificate()) === undefined,
  };
}
