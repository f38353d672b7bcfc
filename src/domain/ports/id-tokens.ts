/** An ID token whose signature was verified, and nothing else. */
export type CheckedIdToken =
  | { readonly kind: "signed"; readonly issuer: string; readonly claims: Claims }
  /** It is no token of an issuer that is trusted; `why` is for people. */
  | { readonly kind: "refused"; readonly why: string };

/** The CI systems whose ID tokens are accepted. */
export interface IdTokens {
  /** Without trailing slashes. */
  readonly issuers: readonly string[];

  /** Verifies a token's signature with its issuer's keys. Throws `unavailable` while the keys cannot be fetched. */
  check(token: string): Promise<CheckedIdToken>;
}

/** The claims of an ID token, whose signature was verified. */
export type Claims = Readonly<Record<string, unknown>>;
