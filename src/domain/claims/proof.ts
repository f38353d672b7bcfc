import type { Secrets } from "../ports/secrets.ts";
import { txtValue } from "./claim.ts";

/**
 * Tells whether a TXT record proves the claim: `token=<token>`, with or without further words such as an `expiry=`,
 * or the bare token. Compares every character whatever the first ones are, so that time tells nothing of the token.
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
