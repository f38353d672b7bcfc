import type { Claims } from "../ports/id-tokens.ts";
import { MINUTE } from "../timestamp.ts";

/** An ID token is accepted for this long after it was issued, whatever its own expiry. */
export const MAX_ID_TOKEN_AGE_MS = 10 * MINUTE;

/** An issuer's clock may be ahead by this much. */
const CLOCK_TOLERANCE_MS = MINUTE;

const MAX_JTI_LENGTH = 1000;

/** Returns why a token with a valid signature cannot be used here and now; null if it can. */
export function findStaleClaim(claims: Claims, audience: string, now: number): string | null {
  const { aud, exp, iat, jti, nbf } = claims;
  if (!(Array.isArray(aud) ? aud.includes(audience) : aud === audience)) {
    return `aud: the ID token is for another audience; request it for ${audience}`;
  }
  if (!isTime(iat)) return "iat: the ID token does not say when it was issued";
  if (iat * 1000 > now + CLOCK_TOLERANCE_MS) return "iat: the ID token was issued in the future; check both clocks";
  if (iat * 1000 < now - MAX_ID_TOKEN_AGE_MS) return "iat: the ID token is older than 10 minutes; request a fresh one";
  if (!isTime(exp) || exp * 1000 <= now) return "exp: the ID token has expired; request a fresh one";
  if (nbf !== undefined && (!isTime(nbf) || nbf * 1000 > now + CLOCK_TOLERANCE_MS)) {
    return "nbf: the ID token is not valid yet; check both clocks";
  }
  const hasId = typeof jti === "string" && jti !== "" && jti.length <= MAX_JTI_LENGTH;
  return hasId ? null : "jti: the ID token has no identifier of its own";
}

// --- internal ---

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER / 1000;
}
