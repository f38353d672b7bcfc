import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { WebhookAnswer, WebhookRequest, WebhookSender } from "../../domain/ports/webhooks.ts";
import { CONNECTION_WORDS } from "../http/connection-error.ts";
import { type Exchange, exchange } from "../http/exchange.ts";
import { isPublicAddress } from "../http/public-address.ts";

export interface SenderOptions {
  /** Lets webhooks reach loopback and private addresses, and every port; for closed networks and tests. */
  readonly allowPrivate: boolean;
  /** Sent as `User-Agent`. */
  readonly userAgent: string;
  /** Returns the addresses of a name, the best first; rejects where there are none. Replaced in tests alone. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Milliseconds for everything, the look-up included; shorter in tests alone. */
  readonly timeLimit?: number;
}

const TIME_LIMIT = 15_000;

/** Addresses that are tried in turn where no connection comes about; most names have one or two. */
const MAX_ADDRESSES = 4;

/** Below it are mail, shells and the like, which a POST could be made to talk to. */
const FIRST_FREE_PORT = 1024;

/** Told instead of an address: what a private name leads to is nobody's business. */
const NOT_PUBLIC = "does not lead to a public address, and others are refused (--allow-private-webhooks is off)";

/** Sends webhooks to the very addresses that the guard has judged. */
export function socketSender(options: SenderOptions): WebhookSender {
  const { allowPrivate, resolve = systemLookup, timeLimit = TIME_LIMIT } = options;

  const refusal: WebhookSender["refusal"] = (url) => {
    if (allowPrivate) return null;
    const hostname = bareHostname(url);
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return NOT_PUBLIC;
    if (/(^|\.)localhost\.?$/.test(hostname)) return NOT_PUBLIC;
    const port = Number(url.port);
    const known = url.port === "" || port === 80 || port === 443 || port >= FIRST_FREE_PORT;
    return known ? null : `names port ${port}: 80, 443 and those from ${FIRST_FREE_PORT} on can be used`;
  };

  /** The addresses that may be connected to; a sentence where there is none. */
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
      // Asked again: the settings may have changed since the webhook was made.
      const refused = refusal(url);
      if (refused !== null) return failure(`the address ${refused}`);
      const addresses = await unlessOver(guarded(url), over);
      if (addresses === null) return failure(`no answer within ${timeLimit / 1000} s`);
      if (typeof addresses === "string") return failure(addresses);
      return firstAnswer(addresses, url, headed(request, options.userAgent), over);
    },
  };
}

// --- internal ---

/** Without the brackets of an IPv6 address. */
function bareHostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

async function systemLookup(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function failure(error: string): WebhookAnswer {
  return { statusCode: null, error };
}

function headed({ headers, body }: WebhookRequest, userAgent: string) {
  return { headers: { "Content-Type": "application/json", "User-Agent": userAgent, ...headers }, body };
}

/** Goes on to the next address only while nothing was sent: what was sent may have been received. */
async function firstAnswer(
  addresses: readonly string[],
  url: URL,
  message: ReturnType<typeof headed>,
  limit: AbortSignal,
): Promise<WebhookAnswer> {
  let error = "";
  for (const address of addresses) {
    const result = await post(address, url, message, limit);
    if (result.kind === "response") return { statusCode: result.statusCode, error: null };
    if (result.kind === "aborted") {
      const { statusCode } = result;
      return statusCode === null ? failure("no answer in time") : { statusCode, error: null };
    }
    error = reasonOf(result);
    if (result.stage === "response") break;
  }
  return failure(error);
}

/** Of a response only the status counts; this much more is read, so that an honest server can finish it. */
const MAX_RESPONSE_BYTES = 8 * 1024;

/** Makes one POST to that very address, to nobody whose certificate is not trusted for the URL's host. */
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
  if (code === "HPE_HEADER_OVERFLOW") return "the header section of the answer is too long";
  if (code.startsWith("HPE_")) return "the answer is not HTTP";
  return CONNECTION_WORDS[code] ?? (code === "" ? "the connection failed" : `the connection failed (${code})`);
}

/** Returns what the promise resolves with; null when the signal was aborted first. */
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
