import { isIP } from "node:net";
import { systemLookup } from "../system/lookup.ts";
import { CONNECTION_WORDS, type Exchange, type ExchangeRequest, exchange } from "./exchange.ts";
import { isPublicAddress } from "./public-address.ts";

export interface GuardOptions {
  /** Allows loopback and private addresses and all ports, for closed networks and tests. */
  readonly allowPrivate: boolean;
  /** Sent as `User-Agent`. */
  readonly userAgent: string;
  /** Returns the addresses of a name in order of preference; rejects if there are none. Replaced in tests only. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Time limit in milliseconds, including the look-up. */
  readonly timeLimit: number;
}

interface GuardedRequest extends Pick<ExchangeRequest, "headers" | "body" | "maxBytes"> {
  readonly method: "GET" | "POST";
}

/** The response, or `statusCode` null and a sentence for people why there was none. */
export type GuardedResponse =
  | { readonly statusCode: number; readonly body: Buffer; readonly error: null }
  | { readonly statusCode: null; readonly error: string };

/** Requests URLs that strangers chose. */
export interface GuardedClient {
  /** Returns why a URL can never be requested, as the end of a sentence about it; null if that depends on a look-up. */
  refusal(url: URL): string | null;
  /** Sends one request; redirects are not followed. Never rejects because of the server. */
  send(url: URL, request: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse>;
}

/** Addresses to try if connections fail; most names have one or two. */
const MAX_ADDRESSES = 4;

/** Lower ports are refused, because mail and other services there could be attacked with a request. */
const FIRST_FREE_PORT = 1024;

/** Replaces the address in the message, so that private names are not revealed. */
const NOT_PUBLIC = "does not lead to a public address, and others are refused (--allow-private-webhooks is off)";

/** Returns a client that connects to the checked IP addresses, so that DNS cannot change in between. */
export function guardedClient(options: GuardOptions): GuardedClient {
  const { allowPrivate, resolve = systemLookup, timeLimit } = options;

  const refusal: GuardedClient["refusal"] = (url) => {
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
    async send(url, request, signal) {
      const over = AbortSignal.any([signal, AbortSignal.timeout(timeLimit)]);
      // Checked again, because the settings may have changed since the URL was accepted.
      const refused = refusal(url);
      if (refused !== null) return failure(`the address ${refused}`);
      const addresses = await unlessOver(guarded(url), over);
      if (addresses === null) return failure(`no response within ${timeLimit / 1000} s`);
      if (typeof addresses === "string") return failure(addresses);
      const headers = { "User-Agent": options.userAgent, ...request.headers };
      return firstResponse(addresses, url, { ...request, headers }, over);
    },
  };
}

// --- internal ---

/** The host without the brackets of an IPv6 address. */
function bareHostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function failure(error: string): GuardedResponse {
  return { statusCode: null, error };
}

/** Tries the next address only if nothing was sent, because a sent request may have been received. */
async function firstResponse(
  addresses: readonly string[],
  url: URL,
  request: GuardedRequest,
  limit: AbortSignal,
): Promise<GuardedResponse> {
  let error = "";
  for (const address of addresses) {
    const result = await sendTo(address, url, request, limit);
    if (result.kind === "response") return { statusCode: result.statusCode, body: result.body, error: null };
    if (result.kind === "aborted") {
      const { statusCode } = result;
      return statusCode === null ? failure("no response in time") : { statusCode, body: Buffer.alloc(0), error: null };
    }
    error = reasonOf(result);
    if (result.stage === "response") break;
  }
  return failure(error);
}

/** Sends one request to the address, only if its certificate is trusted for the URL's host. */
function sendTo(address: string, url: URL, request: GuardedRequest, limit: AbortSignal): Promise<Exchange> {
  const secure = url.protocol === "https:";
  const { method, headers, body, maxBytes } = request;
  const sent = {
    address,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    secure,
    hostname: bareHostname(url),
    method,
    path: `${url.pathname}${url.search}`,
    headers: { Host: url.host, ...headers },
    ...(body === undefined ? {} : { body }),
    maxBytes,
    requiresTrust: true,
  };
  return exchange(sent, limit);
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
