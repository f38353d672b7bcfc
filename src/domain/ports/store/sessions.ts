import type { SessionLimit } from "../../model/scope.ts";
import type { User } from "../../model/user.ts";

/** The stored data of a session token: its SHA-256, never the token. */
export interface NewSession {
  readonly userId: number;
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string;
  readonly createdAt: number;
  /** The latest end; the idle timeout follows from `lastUsedAt`. */
  readonly expiresAt: number;
  /** Milliseconds without use after which the session ends. */
  readonly idleLimit: number;
  /** The client: a device's name, or the browser. */
  readonly clientName: string;
  readonly address: string | null;
  /** When the user last authenticated by password or provider; null for a session that started otherwise. */
  readonly signedInAt: number | null;
  /** All that it may do; null, as when absent, for everything that the account may do. */
  readonly limit?: SessionLimit | null;
  /** The id of the agent that the session was given to; null, as when absent, for all others. */
  readonly clientId?: string | null;
}

/** The proof of a sign-in. A session must not start if a change of the account has invalidated it meanwhile. */
export type SignInProof =
  /** The hash that the password was compared with. */
  | { readonly passwordHash: string }
  /** The passkey that signed the challenge. */
  | { readonly passkeyId: string }
  /** The device code that was redeemed. */
  | { readonly deviceCodeId: number };

export interface Session extends Omit<NewSession, "tokenHash"> {
  readonly id: number;
  readonly lastUsedAt: number;
  readonly limit: SessionLimit | null;
  readonly clientId: string | null;
}

export interface SessionStore {
  /** Adds a session. Returns null if, in the same transaction, the user is missing or the proof is no longer valid. */
  add(session: NewSession, proof?: SignInProof): Promise<Session | null>;

  /** Returns the session with its user, ended or not; null if the token is unknown. One indexed read. */
  findByHash(tokenHash: string): Promise<{ session: Session; user: User } | null>;

  /** Like `findByHash`, by the session's id. */
  find(id: number): Promise<{ session: Session; user: User } | null>;

  /** Returns a user's sessions that have not ended at `now`, newest first. */
  listOfUser(userId: number, now: number): Promise<readonly Session[]>;

  /** Updates `lastUsedAt`, and `lastSeenAt` of its user. The caller does so at most once a minute per session. */
  touch(id: number, at: number): Promise<void>;

  /** Records that the user of a session authenticated again; false if it has ended. */
  confirm(id: number, at: number): Promise<boolean>;

  /** Ends all sessions of a user. Returns their number. */
  revokeAll(userId: number): Promise<number>;

  /** Ends one session of a user; false if it is not theirs or does not exist. */
  revoke(id: number, userId: number): Promise<boolean>;

  /** Deletes sessions that ended before `now`. Returns their number. */
  deleteExpired(now: number): Promise<number>;
}
