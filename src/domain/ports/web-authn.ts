import type { Passkey } from "../model/passkey.ts";
import type { RelyingParty } from "../model/relying-party.ts";

/** A browser's response to creation options: a new key pair. Binary values are base64url (WebAuthn, section 5.1). */
export interface RegistrationResponse {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
}

/** A browser's response to request options: the signature of a challenge. */
export interface AssertionResponse {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null;
  };
}

/** What a response must have been made for. */
export interface Ceremony {
  readonly party: RelyingParty;
  /** The challenge that was sent, as base64url. */
  readonly challenge: string;
}

/**
 * Verifies responses of browsers and authenticators. Challenge, origin and relying party must be those of the ceremony,
 * and the authenticator must have verified its user. Whatever is wrong, malformed values too, leads to null.
 */
export interface WebAuthn {
  /** Returns the new key, whose algorithm is one of `PASSKEY_ALGORITHMS`. */
  verifyRegistration(
    ceremony: Ceremony,
    response: RegistrationResponse,
  ): Promise<Pick<Passkey, "credentialId" | "publicKey" | "algorithm" | "counter"> | null>;

  /** Returns the authenticator's counter, which is above that of the passkey unless both are 0. */
  verifyAssertion(
    ceremony: Ceremony,
    response: AssertionResponse,
    passkey: Pick<Passkey, "credentialId" | "publicKey" | "counter">,
  ): Promise<{ readonly counter: number } | null>;
}
