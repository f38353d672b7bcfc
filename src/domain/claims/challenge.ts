import type { Claim } from "../model/claim.ts";
import type { Store } from "../ports/store.ts";
import type { Secrets } from "../ports/system.ts";

export function txtName(hostname: string): string {
  return `_vitrine-challenge.${hostname}`;
}

export function txtValue(proofToken: string): string {
  return `token=${proofToken}`;
}

const CHALLENGE_PREFIX = "/.well-known/vitrine/";

export function challengePath(claim: Pick<Claim, "probeToken">): string {
  return `${CHALLENGE_PREFIX}${claim.probeToken}`;
}

/**
 * Returns whether a TXT record proves the claim: `token=<token>`, optionally followed by words such as `expiry=…`, or
 * the bare token. The comparison takes constant time, so that timing reveals nothing about the token.
 */
export function provesClaim(record: string, proofToken: string): boolean {
  const [first = ""] = record.trim().split(/\s+/, 1);
  return equalInConstantTime(first, txtValue(proofToken)) || equalInConstantTime(first, proofToken);
}

export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < b.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns 160 random bits in base32 (RFC 4648), lower case: 32 characters, no padding. */
export function randomToken(secrets: Pick<Secrets, "random">): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of secrets.random(20)) {
    bits = ((bits << 8) | byte) & 0xfff;
    held += 8;
    for (; held >= 5; held -= 5) text += BASE32[(bits >> (held - 5)) & 31];
  }
  return text;
}

const TOKEN = /^[a-z2-7]{32}$/;

/**
 * Returns the response for a path below `/.well-known/vitrine/`, on every port and for every host. Returns null,
 * which becomes a 404, unless an open claim has that path.
 */
export async function respondToChallenge(store: Pick<Store, "claims">, path: string): Promise<string | null> {
  if (!path.startsWith(CHALLENGE_PREFIX)) return null;
  const token = path.slice(CHALLENGE_PREFIX.length);
  return TOKEN.test(token) ? store.claims.findChallengeResponse(token) : null;
}
