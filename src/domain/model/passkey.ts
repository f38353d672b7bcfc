/** A public key with which a user signs in. The private key stays with the user's devices. */
export interface Passkey {
  readonly id: string;
  readonly userId: number;
  /** The name that the user gave it. */
  readonly name: string;
  /** The authenticator's ID of the key pair, as base64url. */
  readonly credentialId: string;
  /** The host for which it was made. It is valid nowhere else. */
  readonly relyingPartyId: string;
  /** The public key in COSE format. */
  readonly publicKey: Uint8Array;
  /** The COSE number of its algorithm. */
  readonly algorithm: number;
  /** The number of uses as the authenticator counts them; 0 for passkeys that are synced between devices. */
  readonly counter: number;
  readonly createdAt: number;
  /** Null if it was never used. */
  readonly lastUsedAt: number | null;
}

export const MAX_PASSKEYS = 10;

export const MAX_PASSKEY_NAME_LENGTH = 100;

/** The accepted algorithms, which all authenticators have: EdDSA, ES256 and RS256, by their COSE numbers. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257];
