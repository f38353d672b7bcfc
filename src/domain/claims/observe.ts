import { type Claim, isMode } from "../model/claim.ts";
import { type Absent, type DnsResponse, isUnknown } from "../ports/dns.ts";
import type { ProbeResult } from "../ports/edge.ts";
import { challengePath, equalInConstantTime, provesClaim, txtName } from "./challenge.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import { counterpart } from "./hostname.ts";
import { proofAbsent } from "./messages.ts";
import {
  type AddressesSeen,
  type CertificateSeen,
  type HolderSeen,
  type Observation,
  observedMode,
  type PlacedAddress,
  type ProbeSeen,
  type ProofSeen,
  placeAddresses,
} from "./observation.ts";

/** Addresses of one name that are probed before it counts as unreachable. */
const MAX_PROBED = 3;

/** Queries DNS, probes the hostname and reads the certificate state, as far as the claim's state requires. Read-only. */
export async function observe(claim: Claim, ports: ClaimPorts, signal: AbortSignal): Promise<Observation> {
  const verified = claim.status === "verified";
  const [txt, addresses, certificate] = await Promise.all([
    ports.dns.lookup(txtName(claim.hostname), "TXT", signal),
    verified ? lookUpAddresses(claim.hostname, ports, signal) : null,
    seeCertificate(claim, ports),
  ]);
  const proven = holdsProof(txt, claim);
  const probes =
    addresses !== null && claim.routeStatus === "routed"
      ? await probe(claim, addresses, certificate, ports, signal)
      : { http: null, https: null };
  return {
    proof: proofOf(txt, proven),
    proven,
    holder: !verified && proven ? await seeHolder(claim, txt, ports) : null,
    addresses,
    ...probes,
    certificate,
    unclaimedCounterpart: verified ? null : await unclaimedCounterpart(claim, ports),
  };
}

// --- DNS ---

const CUT_OFF = "a part of the TXT records: too many for UDP, and nothing over TCP";

function holdsProof(txt: DnsResponse, { proofToken }: Pick<Claim, "proofToken">): boolean {
  return txt.kind === "records" && txt.values.some((value) => provesClaim(value, proofToken));
}

function proofOf(response: DnsResponse, proven: boolean): ProofSeen {
  switch (response.kind) {
    case "records":
      // The truncated part may contain the record.
      if (response.partial && !proven) return { kind: "failed", resolver: response.resolver, reason: CUT_OFF };
      return { kind: "answered", resolver: response.resolver, values: response.values, why: null };
    case "nxdomain":
    case "nodata":
    case "chain":
      return { kind: "answered", resolver: response.resolver, values: [], why: proofAbsent(response) };
    default:
      return response;
  }
}

async function seeHolder(claim: Claim, txt: DnsResponse, { store }: ClaimPorts): Promise<HolderSeen | null> {
  const holder = await store.claims.findHolder(claim.hostname);
  if (holder === null || holder.id === claim.id) return null;
  const maybeCutOff = txt.kind === "records" && txt.partial;
  return { proofMisses: holder.proofMisses, proofPresent: maybeCutOff || holdsProof(txt, holder) };
}

async function unclaimedCounterpart(claim: Claim, { store, suffixes }: ClaimPorts): Promise<string | null> {
  const other = counterpart(claim.hostname, suffixes);
  if (other === null || claim.siteId === null) return null;
  return (await store.claims.isClaimed(claim.siteId, other)) ? null : other;
}

async function lookUpAddresses(hostname: string, ports: ClaimPorts, signal: AbortSignal): Promise<AddressesSeen> {
  const seen = await lookUpBoth(hostname, ports, signal);
  if (seen.kind !== "records") return seen;
  const place = (targets = ports.domains.targets) =>
    placeAddresses(seen.values, seen.aliases, targets, (address) => ports.edge.covers(address));
  let addresses = place();
  // A registered domain cannot be a CNAME: providers copy the target's addresses instead (ALIAS, flattening).
  const names = ports.domains.targets.filter(({ type }) => type === "CNAME");
  const astray = () => addresses.filter((it) => it.place === "elsewhere");
  if (names.length > 0 && astray().length > 0) {
    const copied = await Promise.all(names.map(({ value }) => lookUpTarget(value, ports, signal)));
    const values = copied.flat().flatMap((response) => (response.kind === "records" ? response.values : []));
    addresses = place([...ports.domains.targets, ...values.map((value) => ({ type: "A", value }) as const)]);
    // A failed lookup of the same family may hide the address that seems to be another server's.
    const doubts = astray().map(({ address }) => copied.map((both) => both[familyOf(address)]).find(isUnknown));
    if (doubts[0] !== undefined && !doubts.includes(undefined)) return doubts[0];
  }
  return { kind: "addresses", resolver: seen.resolver, addresses, aliases: seen.aliases };
}

type Both = Extract<DnsResponse, { kind: "records" }> | Exclude<AddressesSeen, { kind: "addresses" }>;

const ABSENCE = { nxdomain: "NXDOMAIN", nodata: "no data", chain: "CNAME chain" } as const;

/** Looks up A and AAAA as one result. If one of them has records, the failure of the other is ignored. */
async function lookUpBoth(hostname: string, ports: ClaimPorts, signal: AbortSignal): Promise<Both> {
  const responses = await lookUpEach(hostname, ports, signal);
  const found = responses.filter((response) => response.kind === "records");
  if (found[0]) {
    const aliases = [...new Set(found.flatMap((response) => response.aliases))];
    return { ...found[0], values: found.flatMap((response) => response.values), aliases };
  }
  const unknown = responses.find(isUnknown);
  if (unknown) return unknown;
  const absences = responses.filter((response) => response.kind in ABSENCE) as [Absent, ...Absent[]];
  const { kind, resolver, aliases } = absences.find((response) => response.kind !== "nodata") ?? absences[0];
  return { kind: "absent", resolver, why: ABSENCE[kind], aliases };
}

/** The responses for A and AAAA, in that order. */
type Each = [DnsResponse, DnsResponse];

function lookUpEach(hostname: string, { dns }: ClaimPorts, signal: AbortSignal): Promise<Each> {
  return Promise.all([dns.lookup(hostname, "A", signal), dns.lookup(hostname, "AAAA", signal)]);
}

/** A and AAAA of a routing target. A failure names it: the owner has no record of that name. */
async function lookUpTarget(target: string, ports: ClaimPorts, signal: AbortSignal): Promise<Each> {
  const [ipv4, ipv6] = await lookUpEach(target, ports, signal);
  const named = (response: DnsResponse): DnsResponse =>
    isUnknown(response) ? { ...response, reason: `${response.reason} for ${target}` } : response;
  return [named(ipv4), named(ipv6)];
}

/** The index in `Each` for the family of an address. */
function familyOf(address: string): 0 | 1 {
  return address.includes(":") ? 1 : 0;
}

// --- certificate and probes ---

async function seeCertificate(claim: Claim, { certificates, domains }: ClaimPorts): Promise<CertificateSeen> {
  if (domains.tls !== "acme") return { state: "unneeded", error: null, nextTryAt: null };
  const { state, error, nextTryAt } = await certificates.status(claim.hostname);
  return { state, error, nextTryAt };
}

async function probe(
  claim: Claim,
  seen: AddressesSeen,
  certificate: CertificateSeen,
  ports: ClaimPorts,
  signal: AbortSignal,
): Promise<Pick<Observation, "http" | "https">> {
  const observed = observedMode(seen);
  const isProbable = isMode(observed) || observed === "mixed";
  if (seen.kind !== "addresses" || !isProbable) return { http: null, https: null };
  // Without a certificate the name would only present the fallback. The edge has its own.
  const presentable = certificate.state === "unneeded" || certificate.state === "ready";
  const withTls = ports.domains.tls !== "off" && (presentable || observed === "proxy");
  const ask = (scheme: "http" | "https") => probeModes(claim, scheme, seen.addresses, ports, signal);
  const [http, https] = await Promise.all([ask("http"), withTls ? ask("https") : null]);
  // The decision needs both results: one alone, because the other ran out of time, is not enough.
  return withTls && https === null ? { http: null, https: null } : { http, https };
}

/**
 * If a hostname resolves both to this server and to the edge, visitors use either, so a failure of one counts. Null if
 * the time ran out before one of them was known.
 */
async function probeModes(
  claim: Claim,
  scheme: "http" | "https",
  addresses: readonly PlacedAddress[],
  ports: ClaimPorts,
  signal: AbortSignal,
): Promise<ProbeSeen | null> {
  const ways = Object.values(Object.groupBy(addresses, ({ place }) => place));
  const seen = await Promise.all(ways.map((way) => probeAddresses(claim, scheme, way, ports, signal)));
  const failed = seen.find((probe) => probe !== null && !(probe.kind === "answered" && probe.returned));
  return failed ?? (seen.includes(null) ? null : (seen[0] ?? null));
}

/**
 * Probes the addresses in turn until one returns the challenge. Otherwise returns a response rather than a failure. An
 * aborted probe says nothing; null if that was the first.
 */
async function probeAddresses(
  claim: Claim,
  scheme: "http" | "https",
  addresses: readonly PlacedAddress[],
  { prober }: ClaimPorts,
  signal: AbortSignal,
): Promise<ProbeSeen | null> {
  const request = { scheme, hostname: claim.hostname, path: challengePath(claim) };
  let best: ProbeSeen | null = null;
  for (const { address } of addresses.slice(0, MAX_PROBED)) {
    if (signal.aborted) break;
    const seen = classify(await prober.probe({ ...request, address }, signal), claim);
    if (signal.aborted && seen.kind === "timeout") break;
    if (seen.kind === "answered" && seen.returned) return seen;
    if (best === null || (best.kind !== "answered" && seen.kind === "answered")) best = seen;
  }
  return best;
}

function classify(result: ProbeResult, claim: Claim): ProbeSeen {
  if (result.kind !== "answered") return result;
  const returned = result.statusCode === 200 && equalInConstantTime(result.body.trim(), claim.probeResponse);
  return { ...result, returned };
}
