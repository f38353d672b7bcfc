import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { cose, decodeAttestationObject, decodeCredentialPublicKey } from "@simplewebauthn/server/helpers";
import { PASSKEY_ALGORITHMS } from "../../domain/model/passkey.ts";
import type { Ceremony, RegistrationResponse, WebAuthn } from "../../domain/ports/web-authn.ts";

/**
 * The formats of attestation that a browser sends if it was asked for none. The others have certificates, for whose
 * revocation lists the library would send requests to addresses in the certificates.
 */
const FORMATS: readonly string[] = ["none", "packed"];

export const verifyRegistration: WebAuthn["verifyRegistration"] = (ceremony, response) =>
  nullIfThrown(async () => {
    if (!FORMATS.includes(formatOf(response))) return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      ...expectedIn(ceremony),
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    });
    if (!registrationInfo) return null;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    const algorithm = decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg);
    return algorithm === undefined ? null : { credentialId, publicKey, algorithm, counter };
  });

export const verifyAssertion: WebAuthn["verifyAssertion"] = (ceremony, response, passkey) =>
  nullIfThrown(async () => {
    const { credentialId: id, counter } = passkey;
    const { userHandle: _, ...signed } = response.response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, response: signed, clientExtensionResults: {} },
      ...expectedIn(ceremony),
      credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter },
    });
    return verified ? { counter: authenticationInfo.newCounter } : null;
  });

// --- internal ---

function expectedIn({ party, challenge }: Ceremony) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  };
}

function formatOf({ response }: RegistrationResponse): string {
  return decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, "base64url"))).get("fmt");
}

/** The library reports what does not match by errors, and fails on malformed values with errors of any type. */
async function nullIfThrown<T>(verify: () => Promise<T | null>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}
