import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { WebhookRequest, WebhookResponse, WebhookSender } from "../../domain/ports/webhooks.ts";
import { CONNECTION_WORDS, type Exchange, exchange } from "../http/exchange.ts";
import { isPublicAddress } from "../http/public-address.ts";

export interface SenderOptions {
  /** Allows loopback and private addresses and all ports, for closed networks and tests. */
  readonly allowPrivate: boolean;
  /** Sent as `User-Agent`. */
  readonly userAgent: string;
  /** Returns the addresses of a name in order of preference; rejects if there are none. Replaced in tests only. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Time limit in milliseconds, including the look-up; shorter in tests only. */
  readonly timeLimit?: number;
}

const TIME_LIMIT_MS = 15_000;

/** Addresses to try if connections fail; most names have one or two. */
const MAX_ADDRESSES = 4;

/** Lower ports are refused, because mail and other services there could be attacked with a POST. */
const FIRST_FREE_PORT = 1024;

/** Replaces the address in the message, so that private names are not revealed. */
const NOT_PUBLIC = "does not lead to a public address, and others are refused (--allow-private-webhooks is off)";

/** Sends webhooks. It connects to the checked IP addresses, so that DNS cannot change in between. */
export function socketSender(options: SenderOptions): WebhookSender {
  const { allowPrivate, resolve = systemLookup, timeLimit = TIME_LIMIT_MS } = options;

  const refusal: WebhookSender["refusal"] = (url) => {
    if (allowPrivate) return null;
    const hostname = bareHostname(url);
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return NOT_PUBLIC;
    if (/(^|\.)localhost\.?$/.test(hostname)) return NOT_PUBLIC;
    const port = Number(url.port);
    const known = url.port === "" || port === 80 || port === 443 || port >= FIRST_FREE_PORT;
    return known ? null : `names port ${port}: 80, 443 and those from ${FIRST_FREE_PORT} on can be used`;
  };

  /** Returns the allowed addresses, or a message if there are none. */
  const guarded = async (url: URL): Promise<readonly string[] | string> => {
    const hostname = bareHostname(url);
    const all = isIP(hostname) === 0 ? await resolve(hostname).catch(() => []) : [hostname];
    if (all.length === 0) return "the name cannot be resolved";
    const good = allowPrivate ? all : all.filter(isPublicAddress);
    return good.length === 0 ? `the address ${NOT_PUBLIC}` : good.slice(0, MAX_ADDRESSES);
  };

  return {
    refusal,
    async send(request, signal) {
      const limit = AbortSignal.timeout(timeLimit);
      const over = AbortSignal.any([signal, limit]);
      const url = new URL(request.url);
      // Checked again, because the settings may have changed since the webhook was created.
      const refused = refusal(url);
      if (refused !== null) return failure(`the address ${refused}`);
      const addresses = await unlessOver(guarded(url), over);
      if (addresses === null) return failure(`no response within ${timeLimit / 1000} s`);
      if (typeof addresses === "string") return failure(addresses);
      return firstResponse(addresses, url, headed(request, options.userAgent), over);
    },
  };
}

// --- internal ---

/** The host without the brackets of an IPv6 address. */
function bareHostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

async function systemLookup(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function failure(error: string): WebhookResponse {
  return { statusCode: null, error };
}

function headed({ headers, body }: WebhookRequest, userAgent: string) {
  return { headers: { "Content-Type": "application/json", "User-Agent": userAgent, ...headers }, body };
}

/** Tries the next address only if nothing was sent, because a sent request may have been received. */
async function firstResponse(
  addresses: readonly string[],
  url: URL,
  message: ReturnType<typeof headed>,
  limit: AbortSignal,
): Promise<WebhookResponse> {
  let error = "";
  for (const address of addresses) {
    const result = await post(address, url, message, limit);
    if (result.kind === "response") return { statusCode: result.statusCode, error: null };
    if (result.kind === "aborted") {
      const { statusCode } = result;
      return statusCode === null ? failure("no response in time") : { statusCode, error: null };
    }
    error = reasonOf(result);
    if (result.stage === "response") break;
  }
  return failure(error);
}

/** Only the status of a response is used; this much of the body is read, so that the server can finish it. */
const MAX_RESPONSE_BYTES = 8 * 1024;

/** Sends one POST to the address, only if its certificate is trusted for the URL's host. */
function post(address: string, url: URL, message: ReturnType<typeof headed>, limit: AbortSignal): Promise<Exchange> {
  const secure = url.protocol === "https:";
  const request = {
    address,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    secure,
    hostname: bareHostname(url),
    method: "POST",
    path: `${url.pathname}${url.search}`,
    headers: { Host: url.host, ...message.headers },
    body: message.body,
    maxBytes: MAX_RESPONSE_BYTES,
    requiresTrust: true,
  };
  return exchange(request, limit);
}

function reasonOf({ stage, code }: Extract<Exchange, { kind: "failed" }>): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "the certificate is for other names";
  if (stage === "tls" && /CERT|SIGNATURE/.test(code)) return `the certificate is not trusted (${code})`;
  if (code === "HPE_HEADER_OVERFLOW") return "the header section of the response is too long";
  if (code.startsWith("HPE_")) return "the response is not HTTP";
  return CONNECTION_WORDS[code] ?? (code === "" ? "the connection failed" : `the connection failed (${code})`);
}

/** Resolves with the promise's value; null if the signal is aborted first. */
async function unlessOver<T>(promise: Promise<T>, over: AbortSignal): Promise<T | null> {
  const ended = Promise.withResolvers<null>();
  const end = () => ended.resolve(null);
  over.addEventListener("abort", end);
  if (over.aborted) end();
  try {
    return await Promise.race([promise, ended.promise]);
  } finally {
    over.removeEventListener("abort", end);
  }
}
