import { type CompactVerifyGetKey, compactVerify, decodeJwt, decodeProtectedHeader, errors } from "jose";
import { DomainError } from "../../domain/errors.ts";
import type { CheckedIdToken, Claims, IdTokens } from "../../domain/ports/id-tokens.ts";
import { SECOND } from "../../domain/timestamp.ts";
import { type IssuerKeysOptions, issuerKeys } from "./issuer-keys.ts";

/** Asymmetric algorithms only: with others, anyone with the issuer's public key could sign. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** ID tokens of CI systems have 2 kB. */
const MAX_TOKEN_LENGTH = 16 * 1024;

const STANDARD: IssuerKeysOptions = { now: () => performance.now(), timeout: 5 * SECOND };

/** Checks the ID tokens of the CI systems that the operator trusts. One for all threads, because it limits fetches. */
export function ciIdTokens(issuers: readonly string[], options: IssuerKeysOptions = STANDARD): IdTokens {
  const keys = new Map<string, CompactVerifyGetKey>(issuers.map((issuer) => [issuer, issuerKeys(issuer, options)]));
  return {
    issuers,
    async check(token) {
      const head = headOf(token);
      if (head === null) return refused("the subject_token is not an ID token that is signed with a public key");
      const { issuer, hasCritical } = head;
      if (hasCritical) return refused("crit: this server does not know the critical extensions of the ID token");
      const getKey = keys.get(issuer);
      if (!getKey) return refused("iss: this server does not accept ID tokens of that issuer (see --ci-issuers)");
      return verify(token, issuer, getKey);
    },
  };
}

// --- internal ---

/** What a token says of itself before its signature is verified. */
interface Head {
  readonly issuer: string;
  /** Whether it has an extension that a recipient must know. ID tokens have none. */
  readonly hasCritical: boolean;
}

/** Returns null if the token cannot be accepted. */
function headOf(token: string): Head | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  try {
    const { alg, crit } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typeof iss !== "string" || !ALGORITHMS.includes(alg ?? "none")) return null;
    return { issuer: iss.replace(/\/+$/, ""), hasCritical: crit !== undefined };
  } catch {
    return null;
  }
}

async function verify(token: string, issuer: string, getKey: CompactVerifyGetKey): Promise<CheckedIdToken> {
  try {
    const { payload } = await compactVerify(token, getKey, { algorithms: ALGORITHMS });
    return { kind: "signed", issuer, claims: JSON.parse(new TextDecoder().decode(payload)) as Claims };
  } catch (error) {
    if (error instanceof DomainError) throw error;
    return refused(whyInvalid(error));
  }
}

/** For keys that are malformed, too short or private, jose also throws TypeErrors and errors of the Web Crypto API. */
function whyInvalid(error: unknown): string {
  if (error instanceof errors.JWKSNoMatchingKey) {
    return "the ID token is signed with a key that its issuer does not have; for a new key, retry in 30 s";
  }
  const isOfKey = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSInvalid;
  return isOfKey ? "the issuer's key for the ID token is not usable" : "the signature of the ID token is not valid";
}

function refused(why: string): CheckedIdToken {
  return { kind: "refused", why };
}
