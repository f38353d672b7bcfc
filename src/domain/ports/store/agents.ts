import type { AgentClient, Attempt, PendingCode, RedeemRefusal, RefreshRefusal } from "../../model/agent.ts";
import type { User } from "../../model/user.ts";
import type { NewSession, Session } from "./sessions.ts";

/** SHA-256 of the tokens of a session, which are not stored. */
export interface AgentTokens {
  readonly refreshHash: string;
  readonly accessHash: string;
}

/** The session of an access token, with its user. */
export interface AgentSession {
  readonly session: Session;
  readonly user: User;
  /** The only place where its tokens are valid (RFC 8707). */
  readonly resource: string;
}

export interface AgentStore {
  /** Adds a client that registered itself, and forgets the oldest that nobody has given access, above `maxUnused`. */
  addClient(client: AgentClient & { readonly createdAt: number }, maxUnused: number): Promise<void>;

  /** Returns a registered client; null if it is unknown or was forgotten. */
  findClient(id: string): Promise<AgentClient | null>;

  /**
   * Adds the code of a consent, and marks its client as used, in one transaction. Returns false if the session of the
   * person who consents was ended.
   */
  addCode(code: PendingCode & { readonly codeHash: string }, sessionId: number, now: number): Promise<boolean>;

  /**
   * Redeems a code for a session in one transaction, as `judgeCode` says: of two attempts at an instant one gets it. A
   * code that was redeemed before ends the session that it gave. A refused attempt leaves the code.
   */
  redeem(
    codeHash: string,
    attempt: Attempt,
    given: AgentTokens & { readonly session: Omit<NewSession, "userId" | "clientName" | "limit" | "clientId"> },
  ): Promise<{ readonly granted: AgentSession } | { readonly refusal: RedeemRefusal }>;

  /**
   * Replaces the tokens of a session in one transaction. `current` is what the client sent: the hash of the session's
   * own secret and that of the refresh token. A refresh token that was replaced before ends the session.
   */
  refresh(
    current: { readonly tokenHash: string; readonly refreshHash: string; readonly clientId: string },
    next: AgentTokens,
    now: number,
  ): Promise<{ readonly granted: AgentSession } | { readonly refusal: RefreshRefusal }>;

  /** Returns the session of an access token that is valid at `now`; null if there is none. One indexed read. */
  findByAccessToken(accessHash: string, now: number): Promise<AgentSession | null>;

  /** Ends the session of an access token, current or former, or with its own secret; false if there is none of this client. */
  end(
    token: { readonly accessHash: string } | { readonly tokenHash: string },
    clientId: string | null,
  ): Promise<boolean>;

  /** Adds a site to what a session may access. */
  addSite(sessionId: number, site: { readonly id: number; readonly name: string }): Promise<void>;

  /** Deletes codes that expired before `now`, and clients that nobody has used since `unusedSince`. Returns their number. */
  deleteExpired(now: number, unusedSince: number): Promise<number>;
}
