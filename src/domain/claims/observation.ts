import type { Claim, Mode, ObservedMode } from "../model/claim.ts";
import type { Failed, Silent } from "../ports/dns.ts";
import type { ProbeFailure, ProbeResponse } from "../ports/edge.ts";
import { challengePath } from "./challenge.ts";

/** The owner of an address: this server, the edge, or another server. */
export type Place = "ours" | "edge" | "elsewhere";

/** A record that resolves to this server. */
export interface RoutingTarget {
  readonly type: "A" | "AAAA" | "CNAME";
  readonly value: string;
}

/** The TXT records of the claim. `values` is empty when there are none. */
export type ProofSeen =
  | {
      readonly kind: "answered";
      readonly resolver: string;
      readonly values: readonly string[];
      readonly why: string | null;
    }
  | Failed
  | Silent;

export interface PlacedAddress {
  readonly address: string;
  readonly place: Place;
}

/** The addresses of the hostname. `absent`: NXDOMAIN, no address records, or an endless chain of CNAME records. */
export type AddressesSeen =
  | {
      readonly kind: "addresses";
      readonly resolver: string;
      readonly addresses: readonly PlacedAddress[];
      readonly aliases: readonly string[];
    }
  | {
      readonly kind: "absent";
      readonly resolver: string;
      readonly why: "NXDOMAIN" | "no data" | "CNAME chain";
      readonly aliases: readonly string[];
    }
  | Failed
  | Silent;

/** The result of a request for the challenge path. `returned`: the response is the one that only this server knows. */
export type ProbeSeen = (ProbeResponse & { readonly returned: boolean }) | ProbeFailure;

/** The state of the hostname's certificate. `unneeded` if this server orders none. */
export interface CertificateSeen {
  readonly state: "unneeded" | "none" | "ordering" | "ready" | "failed";
  readonly error: string | null;
  /** When an order that failed is placed again, in milliseconds since the epoch. */
  readonly nextTryAt: number | null;
}

/** The other claim that holds the same hostname verified. */
export interface HolderSeen {
  readonly proofMisses: number;
  /** True if the TXT response of this check contains the holder's record. */
  readonly proofPresent: boolean;
}

/**
 * The results of one check. Null means not checked: addresses before verification, probes while the hostname resolves
 * elsewhere or is not routed, or after the time limit.
 */
export interface Observation {
  readonly proof: ProofSeen;
  readonly proven: boolean;
  readonly holder: HolderSeen | null;
  readonly addresses: AddressesSeen | null;
  readonly http: ProbeSeen | null;
  readonly https: ProbeSeen | null;
  readonly certificate: CertificateSeen;
  /** The `www` or registered domain that is not claimed for the site; see `counterpart`. */
  readonly unclaimedCounterpart: string | null;
}

/**
 * Classifies addresses. The server's own addresses take precedence, because the server may itself be within the edge's
 * ranges. A CNAME to a routing target counts as this server's, whatever that target resolves to, except the edge.
 */
export function placeAddresses(
  addresses: readonly string[],
  aliases: readonly string[],
  targets: readonly RoutingTarget[],
  coveredByEdge: (address: string) => boolean,
): PlacedAddress[] {
  const ours = new Set(targets.filter(({ type }) => type !== "CNAME").map(({ value }) => value));
  const aliasOfOurs = targets.some(({ type, value }) => type === "CNAME" && aliases.includes(value));
  const placeOf = (address: string): Place => {
    if (ours.has(address)) return "ours";
    if (coveredByEdge(address)) return "edge";
    return aliasOfOurs ? "ours" : "elsewhere";
  };
  return addresses.map((address) => ({ address, place: placeOf(address) }));
}

export function observedMode(seen: AddressesSeen): ObservedMode {
  if (seen.kind !== "addresses") return "unavailable";
  const places = new Set(seen.addresses.map(({ place }) => place));
  if (places.has("elsewhere")) return "unsupported";
  if (places.size === 2) return "mixed";
  return places.has("edge") ? "proxy" : "direct";
}

/**
 * Returns whether any address belongs to this server. An edge also serves other customers, so its addresses count only
 * while a probe of the hostname reaches this server.
 */
export function leadsHere(seen: AddressesSeen, cameBack: boolean): boolean {
  if (seen.kind !== "addresses") return false;
  return seen.addresses.some(({ place }) => place === "ours" || (place === "edge" && cameBack));
}

// --- what the probes say ---

/** The source of this server's certificates. It determines which probes must succeed. */
export type TlsMode = "off" | "internal" | "manual" | "acme";

/** The result of the probes. `waiting`: the certificate is not ready yet, and nothing is wrong. */
type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "waiting"; readonly orderCertificate: boolean }
  | { readonly kind: "failed"; readonly error: string };

/**
 * Evaluates the probes of a routed hostname. With TLS `off` only HTTP counts, with `manual` and
 * `internal` only HTTPS. With `acme` a certificate is ordered once HTTP works, and HTTPS counts when it is ready.
 */
export function evaluateProbes(claim: Claim, observed: Mode, seen: Observation, tls: TlsMode): Verdict {
  const requested = { hostname: claim.hostname, path: challengePath(claim) };
  const { http, https } = seen;
  const httpError = explain(requested, "http", http);
  const httpsError = explain(requested, "https", https);

  if (tls === "off") return verdictOn(httpError);
  if (httpError !== null && httpsError !== null && isRedirectLoop(requested, https, http)) {
    return failure(`${claim.hostname} is a redirect loop between HTTP and HTTPS. ${httpsError}`);
  }
  if (tls !== "acme") return verdictOn(httpsError);

  const certificate = seen.certificate.state;
  if (certificate !== "ready") {
    // Behind an edge that forwards no HTTP, no certificate can be ordered, and visitors get the edge's certificate.
    if (httpError !== null) return observed === "proxy" && httpsError === null ? PASSED : failure(httpError);
    if (certificate === "failed") return failure(`no certificate for ${claim.hostname}: ${seen.certificate.error}`);
    return { kind: "waiting", orderCertificate: certificate === "none" };
  }
  if (httpsError !== null) return failure(httpsError);
  const ownCertificate = observed === "proxy" || (https?.kind === "answered" && https.certificateNamesHost);
  return ownCertificate ? PASSED : failure(notPresented(claim.hostname));
}

/** Returns whether any probe returned the challenge. */
export function challengeCameBack({ http, https }: Observation): boolean {
  return [http, https].some((probe) => probe?.kind === "answered" && probe.returned);
}

export interface Requested {
  readonly hostname: string;
  readonly path: string;
}

/** Returns the edge's reason for not reaching this server; null if it gave none. */
export function originFailure(probe: ProbeSeen | null): string | null {
  if (probe?.kind !== "answered" || probe.returned) return null;
  const reason = EDGE_STATUS[probe.statusCode];
  if (reason !== undefined) return `the edge answered ${probe.statusCode}: ${reason}`;
  const gateway = probe.statusCode === 502 || probe.statusCode === 504;
  return gateway ? `the edge answered ${probe.statusCode}: it got no response from the origin` : null;
}

export function isRedirect(probe: ProbeSeen | null): boolean {
  return probe?.kind === "answered" && probe.statusCode >= 300 && probe.statusCode < 400 && probe.location !== null;
}

/**
 * Returns whether following the redirect leads back to the requested URL, directly or over HTTP and back to HTTPS.
 * The usual cause is an edge that talks to the origin over HTTP while the origin insists on HTTPS.
 */
export function isRedirectLoop(requested: Requested, https: ProbeSeen | null, http: ProbeSeen | null): boolean {
  const target = redirectTarget(requested, "https", https);
  if (target === null) return false;
  if (target === urlOf(requested, "https")) return true;
  return target === urlOf(requested, "http") && redirectTarget(requested, "http", http) === urlOf(requested, "https");
}

/** Returns whether an error, or another site's content, comes from the edge's cache. */
export function isCachedError(probe: ProbeSeen | null): boolean {
  if (probe?.kind !== "answered" || probe.returned) return false;
  return probe.cacheStatus !== null && /^(hit|stale|updating|revalidated)$/i.test(probe.cacheStatus);
}

/** Explains why a probe did not return the challenge; null when it did. */
export function explain(requested: Requested, scheme: "http" | "https", probe: ProbeSeen | null): string | null {
  const url = urlOf(requested, scheme);
  if (probe === null) return `${url} was not asked.`;
  switch (probe.kind) {
    case "refused":
      return `${url} was not asked: ${probe.address} ${probe.reason}`;
    case "connect":
      return `${url} did not reach this server: ${probe.address} could not be reached (${probe.reason}). Open the port to this server.`;
    case "timeout":
      return `${url} did not reach this server: ${probe.address} did not respond in time (${probe.reason}). Open the port to this server.`;
    case "tls":
      return `${url} did not reach this server: no TLS session with ${probe.address} could be established (${probe.reason}).`;
    case "malformed":
      return `${url} did not reach this server: ${probe.address} sent no HTTP response (${probe.reason}).`;
    case "answered":
      return probe.returned ? null : explainResponse(requested, scheme, probe);
    default:
      return probe satisfies never;
  }
}

// --- internal ---

const PASSED: Verdict = { kind: "passed" };

function verdictOn(error: string | null): Verdict {
  return error === null ? PASSED : failure(error);
}

function failure(error: string): Verdict {
  return { kind: "failed", error };
}

/** Every listener presents a ready certificate, so that a different one comes from something in front of the server. */
function notPresented(hostname: string): string {
  return `https://${hostname} presents a certificate for other names, although its own is ready: something in front of this server terminates TLS. Let TLS pass through, or present a certificate for ${hostname}.`;
}

/** The causes behind the statuses that an edge generates itself (520 to 530). */
const EDGE_STATUS: Readonly<Record<number, string>> = {
  520: "the origin's response made no sense to it",
  521: "the origin refused its connection: open the port that it connects to, to the edge's addresses",
  522: "its connection to the origin timed out: open the port that it connects to, to the edge's addresses",
  523: "it cannot reach the origin: check the origin's address at the edge",
  524: "the origin took too long to answer",
  525: "no TLS session with the origin could be established",
  526: "it does not trust the origin's certificate",
  530: "it cannot find the origin: check the origin's address at the edge",
};

function explainResponse(
  requested: Requested,
  scheme: "http" | "https",
  probe: Extract<ProbeSeen, { kind: "answered" }>,
): string {
  const url = urlOf(requested, scheme);
  if (redirectTarget(requested, scheme, probe) === url) {
    return `${url} is a redirect loop: ${probe.address} answered ${probe.statusCode} to the same URL. Let the edge connect to this server over HTTPS.`;
  }
  if (isCachedError(probe)) {
    return `${url} came from the edge's cache (${probe.cacheStatus}) with status ${probe.statusCode}: purge the cache of this name.`;
  }
  const origin = originFailure(probe);
  if (origin !== null) return `${url} did not reach this server: ${origin}.`;
  if (isRedirect(probe)) {
    return `${url} did not reach this server: ${probe.address} redirects (${probe.statusCode}) to ${shorten(probe.location ?? "")}. Let /.well-known/vitrine/ through without a redirect.`;
  }
  return `${url} did not reach this server: something else answers at ${probe.address} (status ${probe.statusCode}).`;
}

function urlOf({ hostname, path }: Requested, scheme: "http" | "https"): string {
  return `${scheme}://${hostname}${path}`;
}

/** The absolute target of a redirect, without port, so that unusual probe ports do not hide a loop. */
function redirectTarget(requested: Requested, scheme: "http" | "https", probe: ProbeSeen | null): string | null {
  if (probe?.kind !== "answered" || !isRedirect(probe) || probe.location === null) return null;
  const base = urlOf(requested, scheme);
  if (!URL.canParse(probe.location, base)) return null;
  const { protocol, hostname, pathname, search } = new URL(probe.location, base);
  return `${protocol}//${hostname}${pathname}${search}`;
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
