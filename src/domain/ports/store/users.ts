import type { Signup } from "../../accounts/admit.ts";
import type { OwnQuota, QuotaChange, Usage } from "../../accounts/quota.ts";
import type { ProviderName, User } from "../../accounts/user.ts";
import type { Freeze } from "../../sites/freeze.ts";
import type { Identity } from "../identity.ts";

/** A person as the identity provider, or the operator, describes them. */
export interface NewUser extends Omit<User, "id" | "operator" | "frozen"> {
  /** Argon2id hash in PHC form; null for people of other providers. */
  readonly passwordHash: string | null;
}

/** With `keepOperator`, the only operator who is not frozen stays as they are. */
export interface OperatorGuard {
  readonly keepOperator: boolean;
}

export type OperatorChange = "changed" | "last_operator" | "missing";

/** What an operator changes of a person. */
export interface UserChange {
  readonly name?: string | null;
  readonly frozen?: Freeze | null;
  readonly operator?: boolean;
  readonly quota: QuotaChange;
}

/** A part of the list of people. */
export interface UserQuery {
  /** What login or name contain; null for everybody. */
  readonly text: string | null;
  /** Only operators, or only people who are frozen. */
  readonly only?: "operators" | "frozen";
  /** Where the page before ended; null for the first one. */
  readonly after: { readonly login: string; readonly id: number } | null;
  readonly limit: number;
}

/** A person with what the operator wants to know of them. */
export interface UserListing extends User {
  /** When they last used the server; null for never. */
  readonly lastSeenAt: number | null;
  readonly usage: Usage;
  readonly quota: OwnQuota;
}

export interface UserStore {
  /** Adds a person. Returns null, and changes nothing, when the login or the subject is taken within that provider. */
  add(user: NewUser): Promise<User | null>;

  /**
   * Adds the very first person of an empty data folder, as an operator; null when there is somebody already.
   * The check and the insertion are one step: two set-up links opened at once make one account.
   */
  addFirst(user: NewUser): Promise<User | null>;

  find(id: number): Promise<User | null>;
  /** Logins are compared without regard to case. */
  findByLogin(provider: ProviderName, login: string): Promise<User | null>;
  findBySubject(provider: ProviderName, subject: string): Promise<User | null>;
  passwordHash(id: number): Promise<string | null>;

  /** All people by login. */
  list(): Promise<readonly User[]>;
  count(): Promise<number>;

  /**
   * Replaces the password and ends all that began with the old one, in one step: the person's sessions, and device codes
   * that they approved and that are, or were just, redeemed. False when there is no such person.
   */
  setPassword(id: number, passwordHash: string): Promise<boolean>;
  /**
   * The same for a person who knows the old password, whose hash is `from`, and keeps the session in use. False, and
   * nothing changed, when the hash is another by now or the session has ended.
   */
  changePassword(id: number, change: { from: string; to: string; keptSession: number }): Promise<boolean>;

  /**
   * Decides (`decideAdmission`) by what is kept about the identity's subject, or else about an invitation to its login
   * (`invitationSubject`). Returns the person with the profile that the identity now has, and with the right to own sites
   * that was decided: added if they were unknown, and in the place of the invitation. One step. Throws `forbidden`, with
   * nothing changed and without waiting for the writer, where they may not come in.
   */
  admit(identity: Identity, at: number, signup: Signup): Promise<User>;

  /**
   * Returns the person of the identity's subject with the profile that it now has, added without the right to own sites
   * if they were unknown.
   *
   * A login shows one person, here and in `admit`. GitHub has each login once: where another person still shows it, they
   * are the one who has been renamed. OpenID Connect promises no such thing: there who comes later gets a suffix.
   */
  recognize(identity: Identity, at: number): Promise<User>;

  /**
   * Removes invitations made before `at` that let nobody in any more: to readers whose sites are gone, or who were
   * removed. Returns how many.
   */
  removeUnusedInvitations(at: number): Promise<number>;
  setMayOwn(id: number, mayOwn: boolean): Promise<void>;

  /**
   * Freezes a person with all their sites, or lifts that: the next request sees it. False when there is no such person.
   * For commands on the data folder, which may freeze the last operator; `change` keeps one.
   */
  setFrozen(id: number, freeze: Freeze | null): Promise<boolean>;

  /** The same for the mark of an operator. */
  setOperator(id: number, operator: boolean): Promise<boolean>;

  /**
   * Changes several facts of a person in one step; what is absent stays. `last_operator`, and nothing changed, where the
   * server would be left without an operator who is not frozen.
   */
  change(id: number, change: UserChange): Promise<OperatorChange>;

  /** Returns the people after a place in the order of logins that the query means, with what they use. */
  page(query: UserQuery): Promise<readonly UserListing[]>;
  /** Returns the same of one person. */
  listing(id: number): Promise<UserListing | null>;

  /**
   * Removes a person with their sessions; `owns_sites`, and nothing changed, while sites are theirs. On a full disk the
   * ballast is given up for it.
   */
  remove(id: number, guard?: OperatorGuard): Promise<"removed" | "owns_sites" | "last_operator" | "missing">;
}
