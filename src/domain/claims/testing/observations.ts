import { type Claim, startClaim } from "../../model/claim.ts";
import type { DecisionContext } from "../decide-verified.ts";
import type { AddressesSeen, CertificateSeen, HolderSeen, Observation, Place, ProbeSeen } from "../observation.ts";

/** The time at which the claims of the tests are created. */
export const T0 = Date.UTC(2026, 0, 1);

const RESOLVER = "192.0.2.53:53";

/** An address of each place, as the tests classify it. */
export const ADDRESS: Readonly<Record<Place, string>> = {
  ours: "203.0.113.7",
  edge: "104.16.0.1",
  elsewhere: "198.51.100.66",
};

/** A new claim with the given fields. */
export function aClaim(facts: Partial<Claim> = {}): Claim {
  const started = startClaim({
    hostname: "www.example.org",
    siteId: 1,
    ownerId: 1,
    proofToken: "a".repeat(32),
    probeToken: "b".repeat(32),
    probeResponse: "c".repeat(32),
    createdAt: T0,
  });
  return { ...started, id: 1, revision: 1, siteName: "demo", ...facts };
}

/** A verified and routed claim that is not connected yet. */
export function aRouted(facts: Partial<Claim> = {}): Claim {
  return aClaim({
    status: "verified",
    verifiedAt: T0,
    routeStatus: "routed",
    routeGeneration: 1,
    backoff: "step",
    ...facts,
  });
}

/** A connected claim, in direct mode by default. */
export function aConnected(facts: Partial<Claim> = {}): Claim {
  const mode = facts.effectiveMode ?? "direct";
  return aRouted({
    mode,
    effectiveMode: mode,
    observedMode: mode,
    challengeSeenAt: T0,
    activatedAt: T0,
    activationCheckedAt: T0,
    backoff: "resting",
    ...facts,
  });
}

export function contextAt(now: number, more: Partial<DecisionContext> = {}): DecisionContext {
  return {
    now,
    random: () => 0.5,
    clockTrusted: true,
    targets: [
      { type: "A", value: ADDRESS.ours },
      { type: "CNAME", value: "pages.example.net" },
    ],
    rangesVersion: "2023-09-28",
    tls: "off",
    own: { baseHost: "pages.example.net", sitesDomain: "sites.example.net" },
    ...more,
  };
}

export type ProofWord = "present" | "absent" | "SERVFAIL" | "silent";
export type AddressWord = Place | "ours+edge" | "ours+elsewhere" | "NXDOMAIN" | "no data" | "SERVFAIL" | "silent";
export type ProbeWord = "returned" | "stranger" | "closed" | "loop" | "cached" | "525" | "wrong certificate";

/** Builds an observation from a short description. */
export function seen(words: {
  proof?: ProofWord;
  addresses?: AddressWord | null;
  http?: ProbeWord | null;
  https?: ProbeWord | null;
  certificate?: CertificateSeen["state"];
  nextTryAt?: number;
  holder?: HolderSeen | null;
  claim?: Claim;
}): { kind: "observed"; observation: Observation } {
  const claim = words.claim ?? aClaim();
  const proof = words.proof ?? "present";
  const answered = proof === "present" || proof === "absent";
  return {
    kind: "observed",
    observation: {
      proof: answered
        ? { kind: "answered", resolver: RESOLVER, values: proof === "present" ? ["token=…"] : [], why: "NXDOMAIN" }
        : failure(proof),
      proven: proof === "present",
      holder: words.holder ?? null,
      addresses: words.addresses ? addressesOf(words.addresses) : null,
      http: words.http ? probeOf(words.http, claim) : null,
      https: words.https ? probeOf(words.https, claim) : null,
      certificate:
        words.certificate === "failed"
          ? { state: "failed", error: "no luck", nextTryAt: words.nextTryAt ?? null }
          : { state: words.certificate ?? "unneeded", error: null, nextTryAt: null },
      unclaimedCounterpart: null,
    },
  };
}

function failure(word: "SERVFAIL" | "silent") {
  return word === "silent"
    ? ({ kind: "silent", resolver: RESOLVER, reason: "no reply" } as const)
    : ({ kind: "failed", resolver: RESOLVER, reason: "SERVFAIL" } as const);
}

function addressesOf(word: AddressWord): AddressesSeen {
  if (word === "SERVFAIL" || word === "silent") return failure(word);
  if (word === "NXDOMAIN" || word === "no data") return { kind: "absent", resolver: RESOLVER, why: word, aliases: [] };
  const places = word.split("+") as Place[];
  const addresses = places.map((place) => ({ address: ADDRESS[place], place }));
  return { kind: "addresses", resolver: RESOLVER, addresses, aliases: [] };
}

function probeOf(word: ProbeWord, claim: Claim): ProbeSeen {
  if (word === "closed") return { kind: "connect", address: ADDRESS.ours, reason: "connection refused" };
  const url = `https://${claim.hostname}/.well-known/vitrine/${claim.probeToken}`;
  const response = {
    kind: "answered" as const,
    address: ADDRESS.ours,
    statusCode: 200,
    body: "",
    location: null,
    ray: "8f00-FRA",
    cacheStatus: "DYNAMIC",
    certificateError: null,
    certificateNamesHost: true,
    returned: false,
  };
  const more = {
    returned: { returned: true },
    stranger: { statusCode: 404 },
    loop: { statusCode: 301, location: url },
    cached: { statusCode: 404, cacheStatus: "HIT" },
    "525": { statusCode: 525 },
    "wrong certificate": { returned: true, certificateNamesHost: false, certificateError: "it is for other names" },
  }[word];
  return { ...response, ...more };
}
