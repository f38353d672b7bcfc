import { connect as connectTcp, isIP, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls, type TLSSocket } from "node:tls";
import { readHttpAnswer } from "../edge/http-answer.ts";

export interface PostRequest {
  /** The address to connect to: nothing is looked up again. */
  readonly address: string;
  /** Whose host goes out as Host and, over HTTPS, as SNI, and has to be named by the certificate. */
  readonly url: URL;
  readonly hostname: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of it. `sent`: the request may have reached somebody. */
export type PostOutcome =
  | { readonly kind: "answered"; readonly statusCode: number }
  | { readonly kind: "failed"; readonly sent: boolean; readonly reason: string };

/** Of an answer only the status counts; what follows is read so far, so that an honest server can finish its sentence. */
const SIZE_LIMIT = 8 * 1024;
const HEADERS_END = Buffer.from("\r\n\r\n");

/** Makes one POST over HTTP/1.1 to that very address. Never rejects; ends when the signal is aborted. */
export function post(request: PostRequest, over: AbortSignal): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const secure = request.url.protocol === "https:";
    const socket = secure ? openTls(request) : connectTcp({ host: request.address, port: portOf(request.url) });
    let sent = false;
    let statusCode: number | null = null;
    let received: Buffer = Buffer.alloc(0);

    const finish = (outcome: PostOutcome) => {
      over.removeEventListener("abort", stopped);
      resolve(outcome);
      socket.destroy();
    };
    // Whatever ends the conversation after the status was heard takes nothing back.
    const end = (reason: string) =>
      finish(statusCode === null ? { kind: "failed", sent, reason } : { kind: "answered", statusCode });
    const stopped = () => end("no answer in time");
    over.addEventListener("abort", stopped);
    if (over.aborted) return stopped();

    socket.on(secure ? "secureConnect" : "connect", () => {
      const distrust = secure ? certificateProblem(socket, request.hostname) : null;
      if (distrust !== null) return end(distrust);
      sent = true;
      socket.write(requestText(request));
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]).subarray(0, SIZE_LIMIT);
      try {
        const isFull = received.length >= SIZE_LIMIT;
        // A header section that goes on beyond the limit ends there for us: its status came first.
        const answer = readHttpAnswer(isFull ? Buffer.concat([received, HEADERS_END]) : received);
        statusCode = answer?.statusCode ?? null;
        if (answer?.complete || isFull) end("the answer is not HTTP");
      } catch {
        end("the answer is not HTTP");
      }
    });
    socket.on("end", () => end("the connection was closed without an answer"));
    socket.on("error", (error: Error & { code?: string }) => end(wordsFor(error.code ?? error.message)));
    socket.on("close", () => end("the connection was closed without an answer"));
  });
}

// --- internal ---

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** The certificate is judged by hand before anything is sent: against the name, which an address to connect to is not. */
function openTls({ address, url, hostname }: PostRequest): TLSSocket {
  return connectTls({
    host: address,
    port: portOf(url),
    // RFC 6066 section 3: an address is no server name.
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
}

/** Returns why the certificate is not trusted for the name; null when it is. */
function certificateProblem(socket: Socket | TLSSocket, hostname: string): string | null {
  if (!("authorized" in socket)) return null;
  const reason = String(socket.authorizationError ?? "unknown reason");
  if (!socket.authorized && reason !== WRONG_NAME) return `the certificate is not trusted (${reason})`;
  const named = checkServerIdentity(hostname, socket.getPeerCertificate()) === undefined;
  return named ? null : "the certificate is for other names";
}

/** Judged by ourselves: the name that was wanted may be an address, which went out as no server name. */
const WRONG_NAME = "ERR_TLS_CERT_ALTNAME_INVALID";

function requestText({ url, headers, body }: PostRequest): string {
  const bytes = Buffer.byteLength(body);
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${bytes}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was broken off",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
  ETIMEDOUT: "no answer in time",
};

function wordsFor(code: string): string {
  return WORDS[code] ?? `the connection failed (${code})`;
}
