import { readHttpAnswer } from "../http/answer.ts";
import { CONNECTION_WORDS } from "../http/connection-error.ts";
import { type Ending, exchange, type Peer } from "../http/exchange.ts";

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
export async function post(request: PostRequest, over: AbortSignal): Promise<PostOutcome> {
  const { address, url, hostname, headers, body } = request;
  const { ending, sent, received } = await exchange(
    {
      address,
      port: portOf(url),
      secure: url.protocol === "https:",
      hostname,
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, ...headers },
      body,
      sizeLimit: SIZE_LIMIT,
      refuse: certificateProblem,
    },
    over,
  );
  return outcomeOf(ending, sent, received);
}

// --- internal ---

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** Judged by ourselves: the name that was wanted may be an address, which went out as no server name. */
const WRONG_NAME = "ERR_TLS_CERT_ALTNAME_INVALID";

/** Returns why the certificate is not trusted for the name; null when it is. */
function certificateProblem({ authorizationError, namesHost }: Peer): string | null {
  if (authorizationError !== null && authorizationError !== WRONG_NAME) {
    return `the certificate is not trusted (${authorizationError})`;
  }
  return namesHost ? null : "the certificate is for other names";
}

/** Whatever ended the conversation after the status was heard takes nothing back. */
function outcomeOf(ending: Ending, sent: boolean, received: Buffer): PostOutcome {
  const isFull = received.length >= SIZE_LIMIT;
  let reason = isFull ? NOT_HTTP : whyEnded(ending);
  try {
    // A header section that goes on beyond the limit ends there for us: its status came first.
    const answer = readHttpAnswer(isFull ? Buffer.concat([received, HEADERS_END]) : received);
    if (answer) return { kind: "answered", statusCode: answer.statusCode };
  } catch {
    reason = NOT_HTTP;
  }
  return { kind: "failed", sent, reason };
}

const NOT_HTTP = "the answer is not HTTP";

function whyEnded(ending: Ending): string {
  switch (ending.kind) {
    case "refused":
      return ending.reason;
    case "failed":
      return CONNECTION_WORDS[ending.code] ?? `the connection failed (${ending.code})`;
    case "aborted":
      return "no answer in time";
    case "read":
    case "closed":
      return "the connection was closed without an answer";
    default:
      return ending satisfies never;
  }
}
