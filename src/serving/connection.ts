import type { Server } from "bun";
import ipaddr from "ipaddr.js";
import { BoundedMemo } from "../domain/bounded-memo.ts";
import type { Connection } from "../domain/ports/connection.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { ResponseMemory } from "./response-memory.ts";

export interface ConnectionOptions {
  readonly trust: ProxyTrust;
  readonly encrypted: boolean;
  /** True if clients may speak HTTP/2. */
  readonly http2: boolean;
  /** Counts the memory of running responses; null if a slow client can hold no more than its connections. */
  readonly responseMemory: Pick<ResponseMemory, "take"> | null;
  /** Milliseconds that an upload may pause. */
  readonly uploadIdleTimeout: number;
}

/** The slowest response waits a minute for a report. Checks of custom domains are promised within half of that. */
const SLOW_RESPONSE_MS = 1.25 * MINUTE;

/** A class with getters, because most visits never need the addresses, which are slow to determine. */
export class RequestConnection implements Connection {
  #remembered: string | null = null;

  constructor(
    private readonly request: Request,
    private readonly server: Server<undefined>,
    private readonly options: ConnectionOptions,
  ) {}

  get address(): string {
    return this.options.trust.clientAddress(this.#peer, this.request.headers.get("x-forwarded-for"));
  }

  get country(): string | null {
    const forwarded = this.request.headers.get("cf-ipcountry");
    // Without the field the peer need not be determined.
    return forwarded === null ? null : this.options.trust.country(this.#peer, forwarded);
  }

  get secure(): boolean {
    const { trust, encrypted } = this.options;
    return trust.isSecure(this.#peer, encrypted, this.request.headers.get("x-forwarded-proto"));
  }

  /** The listener refuses this field over HTTP/2, so a client that sends it uses HTTP/1.1. */
  get isMultiplexed(): boolean {
    return this.options.http2 && !this.request.headers.has("connection");
  }

  holdMemory(bytes: number, share = 1): boolean {
    const { responseMemory } = this.options;
    return responseMemory === null || responseMemory.take(this.request, this.server, this.address, bytes, share);
  }

  allowSlowBody(): void {
    this.server.timeout(this.request, Math.ceil(this.options.uploadIdleTimeout / 1000));
  }

  allowSlowResponse(): void {
    this.server.timeout(this.request, SLOW_RESPONSE_MS / 1000);
  }

  /**
   * Determines the address now, because it is unknown once the client has disconnected, and the audit log needs it for
   * changes.
   */
  remember(): void {
    this.#remembered = peerOf(this.request, this.server);
  }

  get #peer(): string {
    return this.#remembered ?? peerOf(this.request, this.server);
  }
}

/** Returns the address at the other end of a request's connection; empty when it is closed already. */
export function peerOf(request: Request, server: Pick<Server<undefined>, "requestIP">): string {
  return server.requestIP(request)?.address ?? "";
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Determines the client behind the proxies that the operator trusts. */
export interface ProxyTrust {
  /** Returns the client's address: the last one in `X-Forwarded-For` that is not a trusted proxy. */
  clientAddress(peer: string, forwardedFor: string | null): string;
  /** Returns whether the client's connection is encrypted; `X-Forwarded-Proto` counts only from a trusted peer. */
  isSecure(peer: string, encrypted: boolean, forwardedProto: string | null): boolean;
  /** Returns the client's country; `CF-IPCountry` counts only from a trusted peer. */
  country(peer: string, forwardedCountry: string): string | null;
}

/** `cidrs` are address ranges in CIDR notation; the forwarding headers of other peers are ignored. */
export function proxyTrust(cidrs: readonly string[]): ProxyTrust {
  const ranges = cidrs.map((cidr): Range => ipaddr.parseCIDR(cidr));
  const isTrusted = (address: Address | null) =>
    address !== null && ranges.some((range) => address.kind() === range[0].kind() && address.match(range as never));

  return {
    clientAddress(peer, forwardedFor) {
      if (ranges.length === 0) return plain(peer);
      const chain = [...(forwardedFor?.split(",") ?? []).map(withoutPort), peer];
      let client = plain(peer);
      for (const entry of chain.reverse()) {
        const address = parse(entry);
        if (address === null) break;
        client = address.toString();
        if (!isTrusted(address)) break;
      }
      return client;
    },

    isSecure(peer, encrypted, forwardedProto) {
      if (forwardedProto === null || ranges.length === 0 || !isTrusted(parse(peer))) return encrypted;
      return forwardedProto.trim().toLowerCase() === "https";
    },

    country(peer, forwardedCountry) {
      return ranges.length > 0 && isTrusted(parse(peer)) ? forwardedCountry : null;
    },
  };
}

/** Some proxies add the client's port, and brackets around IPv6: `203.0.113.7:51234`, `[2001:db8::7]:443`. */
const WITH_PORT = /^(?:\[(.+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/;

function withoutPort(entry: string): string {
  const text = entry.trim();
  const [, six, four] = WITH_PORT.exec(text) ?? [];
  return six ?? four ?? text;
}

/** Each visitor sends many requests. */
const remembered = new BoundedMemo<string, string>(10_000);

/** IPv4 peers arrive as `::ffff:…` on a listener for both families. Parsing costs as much as the rest of a response. */
function plain(address: string): string {
  return remembered.get(address, () => parse(address)?.toString() ?? address);
}

function parse(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}
