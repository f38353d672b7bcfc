import { type CompactVerifyGetKey, compactVerify, decodeJwt, decodeProtectedHeader, errors } from "jose";
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

const STANDARD: IssuerKeysOptions = { now: () => performance.now(), sleep: Bun.sleep, timeout: 5 * SECOND };

/** Checks the ID tokens of the CI systems that the operator trusts. */
export function ciIdTokens(issuers: readonly string[], options: IssuerKeysOptions = STANDARD): IdTokens {
  const keys = new Map<string, CompactVerifyGetKey>(issuers.map((issuer) => [issuer, issuerKeys(issuer, options)]));
  return {
    issuers,
    async check(token) {
      const issuer = issuerOf(token);
      if (issuer === null) return refused("the subject_token is not an ID token that is signed with a public key");
      const getKey = keys.get(issuer);
      if (!getKey) return refused("iss: this server does not accept ID tokens of that issuer (see --ci-issuers)");
      return verify(token, issuer, getKey);
    },
  };
}

// --- internal ---

/** Returns the claimed issuer of a token; null if the token cannot be accepted. */
function issuerOf(token: string): string | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  try {
    const { alg } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    return typeof iss === "string" && ALGORITHMS.includes(alg ?? "none") ? iss.replace(/\/+$/, "") : null;
  } catch {
    return null;
  }
}

async function verify(token: string, issuer: string, getKey: CompactVerifyGetKey): Promise<CheckedIdToken> {
  try {
    const { payload } = await compactVerify(token, getKey, { algorithms: ALGORITHMS });
    return { kind: "signed", issuer, claims: JSON.parse(new TextDecoder().decode(payload)) as Claims };
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey)
      return refused("the ID token is signed with a key that its issuer does not have");
    if (error instanceof errors.JOSEError) return refused("the signature of the ID token is not valid");
    throw error;
  }
}

function refused(why: string): CheckedIdToken {
  return { kind: "refused", why };
}
