import type { Identity, ProviderName, SignedIn } from "../model/user.ts";

/**
 * An identity provider. `method` is the kind of sign-in. A provider that cannot be reached, or that responds
 * incorrectly, results in `provider_lookup_failed`; its response is never shown.
 */
export type IdentityProvider = PasswordProvider | RedirectProvider | DeviceCodeProvider;

interface Directory {
  readonly name: ProviderName;
  /** Its display name, for the sign-in button. */
  readonly label: string;

  /** The claim with the groups of a user; absent or null if the provider is not asked for groups. */
  readonly groupsClaim?: string | null;

  /** Returns whether a login is well-formed, checked before any request. */
  isLogin(login: string): boolean;

  /** Returns the user of a login, or null if the provider does not know it. */
  findByLogin(login: string): Promise<Identity | null>;
}

/** Users enter login and password in this server's form. */
export interface PasswordProvider extends Directory {
  readonly method: "password";
  /**
   * Returns the user with the verified hash, or null. An unknown login takes as much time as a wrong
   * password.
   */
  authenticate(
    login: string,
    password: string,
  ): Promise<{ readonly identity: Identity; readonly passwordHash: string } | null>;
}

/** The browser goes to the provider and comes back with a code (OAuth 2.0 authorization code grant). */
export interface RedirectProvider extends Directory {
  readonly method: "redirect";
  /** Returns the URL for the browser, and the secret state that `complete` needs. */
  begin(redirectUri: string, state: string): Promise<{ readonly url: string; readonly secret: string }>;
  /**
   * Exchanges the callback for the user. `response` is the query of the callback, `state` the one of `begin`.
   * Throws `forbidden` if the user declined at the provider, `invalid` if the callback does not belong to this sign-in.
   */
  complete(redirectUri: string, response: URLSearchParams, state: string, secret: string): Promise<SignedIn>;
}

/** Users enter a code at the provider while the page polls (RFC 8628, with this server as the device). */
export interface DeviceCodeProvider extends Directory {
  readonly method: "device_code";
  begin(): Promise<ProviderDeviceCode>;
  poll(deviceCode: string): Promise<ProviderPoll>;
}

export interface ProviderDeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Seconds between two polls. */
  readonly interval: number;
}

type ProviderPoll =
  | {
      readonly outcome: "pending";
      /** Seconds, if the provider increased the interval. */
      readonly interval: number | null;
    }
  | { readonly outcome: "signed_in"; readonly identity: Identity }
  | { readonly outcome: "denied" }
  | { readonly outcome: "expired" };
