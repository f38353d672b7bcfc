import type { User } from "../../accounts/user.ts";
import type { NewUser } from "./users.ts";

/** What a link does: makes the account of a login, or sets a new password. */
export type AccountLinkKind = "invitation" | "password";

/** A link that an operator made for somebody. It is good once. */
export interface AccountLink {
  readonly kind: AccountLinkKind;
  readonly login: string;
  /** The account whose password it sets; null for an invitation, which makes one. */
  readonly userId: number | null;
  /** The name that the operator gave; the invited person may change it. */
  readonly name: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface AccountLinkStore {
  /** Keeps a link by the SHA-256 of its token. The one before, of the same kind and login, ends with it. */
  replace(link: AccountLink & { readonly tokenHash: string }): Promise<void>;

  /** Returns the link; null when it is unknown, used, replaced or expired at `now`. */
  find(tokenHash: string, now: number): Promise<AccountLink | null>;

  /**
   * Uses an invitation: adds the person and forgets the link, in one step. Null, and nothing changed, when the link does
   * not hold at `now` or the login is taken.
   */
  acceptInvitation(tokenHash: string, user: NewUser, now: number): Promise<User | null>;

  /**
   * Uses a password link: replaces the password, ends the sessions of its person and forgets the link, in one step. Null,
   * and nothing changed, when the link does not hold at `now`.
   */
  acceptPassword(tokenHash: string, passwordHash: string, now: number): Promise<User | null>;

  /** Forgets links that expired before `now`; returns how many. */
  removeExpired(now: number): Promise<number>;
}
