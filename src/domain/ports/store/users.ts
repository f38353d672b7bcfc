import type { Freeze } from "../../model/freeze.ts";
import type { OwnQuota, QuotaChange, Usage } from "../../model/quota.ts";
import type { Identity, ProviderName, SignedIn, Signup, User } from "../../model/user.ts";

/** A user as described by the identity provider or the operator. */
export interface NewUser extends Omit<User, "id" | "operator" | "frozen"> {
  /** Argon2id hash in PHC format; null for users of other providers. */
  readonly passwordHash: string | null;
}

/** With `keepOperator`, the only operator who is not frozen cannot be changed. */
interface OperatorGuard {
  readonly keepOperator: boolean;
}

export type OperatorChange = "changed" | "last_operator" | "missing";

/** A change of a user by an operator. */
export interface UserChange {
  readonly name?: string | null;
  readonly frozen?: Freeze | null;
  readonly operator?: boolean;
  readonly quota: QuotaChange;
}

/** A page of the list of users. */
export interface UserQuery {
  /** A text in login or name; null for everybody. */
  readonly text: string | null;
  /** Only operators, or only people who are frozen. */
  readonly only?: "operators" | "frozen";
  /** The end of the previous page; null for the first one. */
  readonly after: { readonly login: string; readonly id: number } | null;
  readonly limit: number;
}

/** A user with the data for operators. */
export interface UserListing extends User {
  /** When they last used the server; null if never. */
  readonly lastSeenAt: number | null;
  readonly usage: Usage;
  readonly quota: OwnQuota;
}

export interface UserStore {
  /** Adds a user. Returns null without changes if the login or the subject is taken within that provider. */
  add(user: NewUser): Promise<User | null>;

  /**
   * Adds the first user of an empty data folder as an operator; null if there is a user already. The check and the
   * insertion are one transaction, so that two concurrent requests create one account.
   */
  addFirst(user: NewUser): Promise<User | null>;

  find(id: number): Promise<User | null>;
  /** Logins are compared regardless of upper and lower case. */
  findByLogin(provider: ProviderName, login: string): Promise<User | null>;
  passwordHash(id: number): Promise<string | null>;

  /** Returns all users by login. */
  list(): Promise<readonly User[]>;
  count(): Promise<number>;

  /**
   * Replaces the password and ends everything that began with the old one, in one transaction: the user's sessions, and
   * device codes that they approved and that are, or were just, redeemed. Returns false if there is no such user.
   */
  setPassword(id: number, passwordHash: string): Promise<boolean>;
  /**
   * Like `setPassword`, for a user who knows the old password, whose hash is `from`; the current session stays. Returns
   * false without changes if the hash has changed or the session has ended.
   */
  changePassword(id: number, change: { from: string; to: string; keptSession: number }): Promise<boolean>;

  /**
   * Decides on a sign-in (`decideAdmission`) from the user with the identity's subject, or an invitation to its login
   * (`invitationSubject`). Returns the user with the current profile and the decided right to own sites; an unknown
   * user is added, or replaces the invitation. Stores the groups that were told. One transaction. Throws
   * `forbidden` without waiting for the writer if they are not admitted: of a known user, what was told of groups is
   * stored, and nothing else changes.
   */
  admit(identity: SignedIn, at: number, signup: Signup): Promise<User>;

  /**
   * Returns the user with the identity's subject and the current profile. An unknown user is added without the right to
   * own sites.
   *
   * A login belongs to one user, here and in `admit`. At GitHub logins are unique, so if another user still has it,
   * that user was renamed. OpenID Connect does not guarantee that, so the later user gets a suffix.
   */
  recognize(identity: Identity, at: number): Promise<User>;

  /**
   * Deletes unused invitations from before `at`: to readers and members whose sites were deleted, or who were removed. Returns
   * their number.
   */
  deleteUnusedInvitations(at: number): Promise<number>;
  setMayOwn(id: number, mayOwn: boolean): Promise<void>;

  /**
   * Freezes or unfreezes a user with all their sites. The next request sees it. Returns false if there is no such user.
   * For commands on the data folder, which may freeze the last operator; `change` keeps one.
   */
  setFrozen(id: number, freeze: Freeze | null): Promise<boolean>;

  /** Like `setFrozen`, for the operator role. */
  setOperator(id: number, operator: boolean): Promise<boolean>;

  /**
   * Changes fields of a user in one transaction; absent fields stay. Returns `last_operator` without changes if no
   * operator would remain who is not frozen.
   */
  change(id: number, change: UserChange): Promise<OperatorChange>;

  /** Returns a page of users in the order of their logins, with their usage. */
  page(query: UserQuery): Promise<readonly UserListing[]>;
  /** Returns the listing of one user. */
  listing(id: number): Promise<UserListing | null>;

  /**
   * Deletes a user with their sessions. Returns `owns_sites` without changes while they own sites. On a full disk the
   * reserve file is released for it.
   */
  delete(id: number, guard?: OperatorGuard): Promise<"deleted" | "owns_sites" | "last_operator" | "missing">;
}
