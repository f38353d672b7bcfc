import type { MemberRole } from "../../model/role.ts";
import type { User } from "../../model/user.ts";
import type { NewUser } from "./users.ts";

/** The purpose of a link: to create the account of a login, or to set a new password. */
export type AccountLinkKind = "invitation" | "password";

/** The site on which an invited person is going to work. */
export interface InvitedTo {
  readonly siteName: string;
  readonly role: MemberRole;
}

/** A link that an operator created for somebody. It can be used once. */
export interface AccountLink {
  readonly kind: AccountLinkKind;
  readonly login: string;
  /** The account whose password it sets; null for an invitation, which creates one. */
  readonly userId: number | null;
  /** The name that the operator gave. The invited user can change it. */
  readonly name: string | null;
  /** Null if the invitation names no site, or the site was deleted meanwhile. */
  readonly invitedTo: InvitedTo | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A link before it is stored. */
export interface NewAccountLink extends Omit<AccountLink, "invitedTo"> {
  /** The SHA-256 of its token. */
  readonly tokenHash: string;
  /** The membership that an invitation gives. `addedBy` is null for the operator at the server's command line. */
  readonly member: { readonly siteId: number; readonly role: MemberRole; readonly addedBy: number | null } | null;
}

export interface AccountLinkStore {
  /** Stores a link. An earlier one of the same kind and login is deleted. */
  replace(link: NewAccountLink): Promise<void>;

  /** Returns the link; null if it is unknown, used, replaced or expired at `now`. */
  find(tokenHash: string, now: number): Promise<AccountLink | null>;

  /**
   * Uses an invitation: adds the user, makes them a member of its site, and deletes the link in one transaction. Without
   * the membership if the site was deleted or has as many members as it may have. Returns null without changes if the
   * link is not valid at `now` or the login is taken.
   */
  acceptInvitation(
    tokenHash: string,
    user: NewUser,
    now: number,
  ): Promise<{ readonly user: User; readonly memberOf: InvitedTo | null } | null>;

  /**
   * Uses a password link: replaces the password, removes those of the user's passkeys that `removedPasskeys` lists, ends
   * the user's sessions and deletes the link in one transaction. Returns null without changes if the link is not valid
   * at `now`.
   */
  acceptPassword(
    tokenHash: string,
    change: { readonly passwordHash: string; readonly removedPasskeys: readonly string[] },
    now: number,
  ): Promise<User | null>;

  /** Deletes links that expired before `now`. Returns their number. */
  deleteExpired(now: number): Promise<number>;
}
