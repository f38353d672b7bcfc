import { DAY } from "../../../../src/domain/timestamp.ts";
import type { DomainClaim } from "../../../api/types.ts";
import { span } from "../deployments/words.ts";

export type DomainCertificate = NonNullable<DomainClaim["certificate"]>;

/** A certificate is renewed weeks before: with less than this left, renewing it has failed for long. */
const SOON = 14 * DAY;

/** Returns the certificate of the connected domains that expires first; null where none has one. */
export function firstToExpire(claims: readonly DomainClaim[]): DomainCertificate | null {
  const held = claims.flatMap(({ connection_status, certificate }) =>
    connection_status === "connected" && certificate ? [certificate] : [],
  );
  return held.sort((one, other) => (one.not_after < other.not_after ? -1 : 1))[0] ?? null;
}

/** Returns how long a certificate is valid, and whether that is alarming. */
export function validityOf({ not_after }: DomainCertificate, now: number): { text: string; soon: boolean } {
  const left = Date.parse(not_after) - now;
  return left <= 0 ? { text: "expired", soon: true } : { text: `valid for ${span(left)}`, soon: left < SOON };
}

/** Returns who issued it: the host of the CA's directory. */
export function issuerOf({ issuer }: DomainCertificate): string {
  return URL.canParse(issuer) ? new URL(issuer).host : "the CA of this server";
}
