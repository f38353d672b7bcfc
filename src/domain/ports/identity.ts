import type { ProviderName } from "../accounts/user.ts";

/** A person as the identity provider describes them. */
export interface Identity {
  readonly provider: ProviderName;
  /** The provider's own unchanging id for the person; the only thing that links a sign-in to an account. */
  readonly subject: string;
  /** What people call them by; may be renamed, and given to somebody else, at the provider. */
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

/**
 * Who signs people in. `method` says what the browser has to do. A provider that cannot be asked, or that answers
 * what it must not, is `provider_lookup_failed` with a sentence for people; nothing of its answer is shown as it stands.
 */
export type IdentityProvider = PasswordProvider | RedirectProvider | DeviceCodeProvider;

interface Directory {
  readonly name: ProviderName;
  /** What people know it as: the text of the sign-in button. */
  readonly label: string;

  /** Whether a login could be one of this provider's: judged before anybody is asked. */
  isLogin(login: string): boolean;

  /** Returns the person of a login, or null where the provider knows nobody of that name. */
  findByLogin(login: string): Promise<Identity | null>;
}

/** People type login and password into our own form. */
export interface PasswordProvider extends Directory {
  readonly method: "password";
  /**
   * Returns the person with the hash that the password fits, or null. An unknown login costs as much work as a wrong
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
  /** Returns where to send the browser, and what `complete` needs again: a secret that only this sign-in may see. */
  begin(redirectUri: string, state: string): Promise<{ readonly url: string; readonly secret: string }>;
  /**
   * Exchanges what came back for the person. `answer` is the query of the callback, `state` what `begin` was given.
   * `forbidden` when the person declined at the provider, `invalid` when the answer does not belong to this sign-in.
   */
  complete(redirectUri: string, answer: URLSearchParams, state: string, secret: string): Promise<Identity>;
}

/** People type a code at the provider while our page waits (RFC 8628, we being the device). */
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

export type ProviderPoll =
  | {
      readonly outcome: "pending";
      /** Seconds, where the provider now wants a longer pause. */
      readonly interval: number | null;
    }
  | { readonly outcome: "signed_in"; readonly identity: Identity }
  | { readonly outcome: "denied" }
  | { readonly outcome: "expired" };
