import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, type TLSSocket } from "node:tls";
import { errorCode } from "../../domain/error-message.ts";

export interface ExchangeRequest {
  /** The address to connect to: no name is looked up again. */
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** Is sent as SNI, and is what the certificate has to name. */
  readonly hostname: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Host is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** At most so many bytes of the response's content are read. */
  readonly maxBytes: number;
  /** Whether nothing is sent to a peer whose certificate is not trusted for the hostname; else it is only reported. */
  readonly requiresTrust: boolean;
}

/** Who is at the other end of a TLS connection. */
export interface Peer {
  /** The code of what keeps the certificate from being trusted; null when it is. */
  readonly authorizationError: string | null;
  readonly namesHost: boolean;
}

/** How far an exchange got before it failed. Only in stage `response` may somebody have received the request. */
type Stage = "connect" | "tls" | "response";

export type Exchange =
  | {
      readonly kind: "response";
      readonly statusCode: number;
      readonly headers: IncomingMessage["headers"];
      /** Up to `maxBytes` of the content. */
      readonly body: Buffer;
      /** Null without TLS. */
      readonly peer: Peer | null;
    }
  | { readonly kind: "failed"; readonly stage: Stage; readonly code: string }
  /** The signal was aborted; `statusCode` is null where no header section had arrived. */
  | { readonly kind: "aborted"; readonly stage: Stage; readonly statusCode: number | null };

/** Far more than servers send; 16 KiB is the default. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Sends one HTTP/1.1 request to an address, on a connection of its own, and reads the response within limits. Never
 * rejects; ends at once when the signal is aborted. `fetch` would look the name up again, follow the proxy settings of
 * the environment, and hide the certificate.
 */
export function exchange(asked: ExchangeRequest, signal: AbortSignal): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  if (signal.aborted) return Promise.resolve({ kind: "aborted", stage: "connect", statusCode: null });
  let stage: Stage = "connect";
  let peer: Peer | null = null;
  let response: IncomingMessage | null = null;
  const chunks: Buffer[] = [];

  const request = open(asked);
  const finish = (result: Exchange) => {
    signal.removeEventListener("abort", abort);
    resolve(result);
    request.destroy();
  };
  const abort = () => finish({ kind: "aborted", stage, statusCode: response?.statusCode ?? null });
  const finishResponse = ({ statusCode, headers }: IncomingMessage) => {
    const body = Buffer.concat(chunks).subarray(0, asked.maxBytes);
    finish({ kind: "response", statusCode: statusCode ?? 0, headers, body, peer });
  };
  signal.addEventListener("abort", abort);

  request.on("socket", (socket) => {
    socket.on("connect", () => {
      stage = asked.secure ? "tls" : "response";
    });
    socket.on("secureConnect", () => {
      stage = "response";
      peer = peerOf(socket as TLSSocket, asked.hostname);
    });
  });
  request.on("response", (arrived) => {
    response = arrived;
    let size = 0;
    arrived.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= asked.maxBytes) finishResponse(arrived);
    });
    // A response that breaks off is one all the same: what was received counts.
    for (const ending of ["end", "error", "close"]) arrived.on(ending, () => finishResponse(arrived));
  });
  request.on("error", (error) => finish({ kind: "failed", stage, code: errorCode(error) }));
  request.end(asked.body);
  return promise;
}

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
    // An address is no server name (RFC 6066 section 3).
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
