import { PASSKEY_ALGORITHMS, type Passkey } from "../model/passkey.ts";
import type { RelyingParty } from "../model/relying-party.ts";
import type { User } from "../model/user.ts";
import { CHALLENGE_LIFETIME_MS } from "./passkey-challenge.ts";

/** Returns what a browser needs to create a passkey: a key that its authenticator finds and unlocks by itself. */
export function creationOptions(
  party: RelyingParty,
  user: Pick<User, "subject" | "login" | "name">,
  challenge: string,
  existing: readonly Pick<Passkey, "credentialId">[],
) {
  return {
    rp: { id: party.id, name: party.id },
    user: { id: userHandle(user), name: user.login, displayName: user.name ?? user.login },
    challenge,
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
    timeout: CHALLENGE_LIFETIME_MS,
    excludeCredentials: existing.map(({ credentialId: id }) => ({ type: "public-key" as const, id })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    } as const,
    attestation: "none" as const,
  };
}

/** Returns what a browser needs to sign in with any passkey of this server. */
export function requestOptions(party: RelyingParty, challenge: string) {
  return {
    rpId: party.id,
    challenge,
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: "required" as const,
    allowCredentials: [],
  };
}

/** Returns the ID under which authenticators keep the passkeys of a user. Pages may learn it, so it is not the login. */
export function userHandle({ subject }: Pick<User, "subject">): string {
  return new TextEncoder().encode(subject).toBase64({ alphabet: "base64url", omitPadding: true });
}
