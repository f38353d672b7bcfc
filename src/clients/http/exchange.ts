import { connect as connectTcp, isIP } from "node:net";
import { checkServerIdentity, connect as connectTls, type TLSSocket } from "node:tls";
import { readHttpAnswer } from "./answer.ts";

export interface ExchangeRequest {
  /** The address to connect to: nothing is looked up again. */
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** Goes out as SNI, and is what the certificate has to name. */
  readonly hostname: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** In the order in which they go out, Host among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the answer, no more bytes than these are read. */
  readonly sizeLimit: number;
  /** Returns why nothing is to be sent to that peer, or null; left out, anybody is talked to. */
  readonly refuse?: (peer: Peer) => string | null;
}

/** Who is at the other end of a TLS connection: whether that is enough is the caller's to judge. */
export interface Peer {
  /** The code of what keeps the certificate from being trusted; null when it is. */
  readonly authorizationError: string | null;
  readonly namesHost: boolean;
}

/**
 * What ended an exchange. `read`: nothing more is needed: the answer is whole, over the limit, not HTTP, or the other side
 * has finished.
 */
export type Ending =
  | { readonly kind: "read" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: "closed" }
  | { readonly kind: "aborted" };

export interface Exchange {
  readonly ending: Ending;
  /** Whether the request may have reached somebody. */
  readonly sent: boolean;
  /** What came of the answer, however it ended. */
  readonly received: Buffer;
  /** Null without TLS, and where its session did not come about. */
  readonly peer: Peer | null;
}

/** So many pieces of an answer are looked at as they arrive. A look costs its whole length: others wait for the next. */
const MOST_PIECES = 64;
const BETWEEN_LOOKS = 50;

/**
 * Sends one request over HTTP/1.1 on a socket of its own, and reads the answer within limits. Never rejects; ends at once
 * when the signal is aborted. `fetch` would look the name up again, honour proxy settings of the environment, keep
 * connections and hide the certificate.
 */
export function exchange(request: ExchangeRequest, signal: AbortSignal): Promise<Exchange> {
  const { address: host, port, secure, sizeLimit } = request;
  let received: Buffer = Buffer.alloc(0);
  let sent = false;
  let peer: Peer | null = null;
  if (signal.aborted) return Promise.resolve({ ending: { kind: "aborted" }, sent, received, peer });
  return new Promise((resolve) => {
    const socket = secure ? openTls(request) : connectTcp({ host, port });
    let pieces = 0;
    let nextLook: ReturnType<typeof setTimeout> | undefined;

    const finish = (ending: Ending) => {
      clearTimeout(nextLook);
      signal.removeEventListener("abort", stopped);
      resolve({ ending, sent, received, peer });
      socket.destroy();
    };
    const stopped = () => finish({ kind: "aborted" });
    signal.addEventListener("abort", stopped);

    const look = () => {
      nextLook = undefined;
      if (received.length >= sizeLimit || isDecided(received)) finish({ kind: "read" });
    };

    socket.on(secure ? "secureConnect" : "connect", () => {
      peer = secure ? peerOf(socket as TLSSocket, request.hostname) : null;
      const reason = peer && request.refuse ? request.refuse(peer) : null;
      if (reason !== null) return finish({ kind: "refused", reason });
      sent = true;
      socket.write(requestText(request));
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]).subarray(0, sizeLimit);
      if (++pieces <= MOST_PIECES || received.length >= sizeLimit) look();
      else nextLook ??= setTimeout(look, BETWEEN_LOOKS);
    });
    socket.on("end", () => sent && finish({ kind: "read" }));
    socket.on("error", (error: Error & { code?: string }) =>
      finish({ kind: "failed", code: error.code ?? error.message }),
    );
    socket.on("close", () => finish({ kind: "closed" }));
  });
}

// --- internal ---

/** Whatever the certificate says, the session comes about: trust is judged apart, against the name and not the address. */
function openTls({ address, port, hostname }: ExchangeRequest): TLSSocket {
  return connectTls({
    host: address,
    port,
    // RFC 6066 section 3: an address is no server name.
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
}

function peerOf(socket: TLSSocket, hostname: string): Peer {
  const certificate = socket.getPeerCertificate();
  const known = certificate && Object.keys(certificate).length > 0;
  return {
    authorizationError: socket.authorized ? null : String(socket.authorizationError ?? "unknown reason"),
    namesHost: known && checkServerIdentity(hostname, certificate) === undefined,
  };
}

function requestText({ method, path, headers, body }: ExchangeRequest): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

/** Tells whether more would change nothing: all is there, or it is not HTTP. */
function isDecided(received: Buffer): boolean {
  try {
    return readHttpAnswer(received)?.complete ?? false;
  } catch {
    return true;
  }
}
