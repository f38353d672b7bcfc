import type { SessionLimit } from "../../accounts/scope.ts";
import type { User } from "../../accounts/user.ts";

/** What is kept of a session token: its SHA-256, never the token. */
export interface NewSession {
  readonly userId: number;
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string;
  readonly createdAt: number;
  /** The end whatever happens; the sliding end follows from `lastUsedAt`. */
  readonly expiresAt: number;
  /** Milliseconds without use after which the session ends. */
  readonly idleLimit: number;
  /** Who asked for it: a device's client name, or the browser. */
  readonly clientName: string;
  readonly address: string | null;
  /** When the person last proved who they are, by password or provider; null for a session that began otherwise. */
  readonly signedInAt: number | null;
  /** All that it may do; null, as when absent, for everything that the account may do. */
  readonly limit?: SessionLimit | null;
}

/** What somebody signed in with: a session must not begin where a new password has ended that meanwhile. */
export type SignInProof =
  /** The hash that the password was held against. */
  | { readonly passwordHash: string }
  /** The device code that was redeemed. */
  | { readonly deviceCodeId: number };

export interface Session extends Omit<NewSession, "tokenHash"> {
  readonly id: number;
  readonly lastUsedAt: number;
  readonly limit: SessionLimit | null;
}

export interface SessionStore {
  /** Adds a session; null, in the same step, when the person has been removed or the proof no longer holds. */
  add(session: NewSession, proof?: SignInProof): Promise<Session | null>;

  /** Returns the session with its person, ended or not; null when the token is unknown. One indexed read. */
  findByHash(tokenHash: string): Promise<{ session: Session; user: User } | null>;

  /** The same for a session that is known by its id. */
  find(id: number): Promise<{ session: Session; user: User } | null>;

  /** A person's sessions that have not ended at `now`, newest first. */
  listOfUser(userId: number, now: number): Promise<readonly Session[]>;

  /** Moves `lastUsedAt` forward, and `lastSeenAt` of its person; the caller does so at most once a minute and session. */
  touch(id: number, at: number): Promise<void>;

  /** Notes that the person of a session proved again who they are; false when it has ended. */
  confirm(id: number, at: number): Promise<boolean>;

  /** Ends all sessions of a person; returns how many. */
  revokeAll(userId: number): Promise<number>;

  /** Ends one session of a person; false when it is not theirs or gone. */
  revoke(id: number, userId: number): Promise<boolean>;

  /** Removes sessions that ended before `now`; returns how many. */
  removeExpired(now: number): Promise<number>;
}
