import type { ChallengeType } from "../../certificates/certificate.ts";

/** Our account with one CA. */
export interface AcmeAccount {
  readonly directory: string;
  /** PEM. Made and kept before the CA hears of it, so that a crash never leaves an account without its key. */
  readonly key: string;
  /** The account's URL; null until the CA has confirmed it. */
  readonly url: string | null;
}

/** What a CA will look for. `name` is the token (http-01) or the record's owner name in lower case (dns-01). */
export interface PublishedChallenge {
  readonly type: ChallengeType;
  readonly name: string;
  /** The key authorization (http-01) or the text of the record (dns-01). */
  readonly value: string;
  /** When it is swept, should whoever published it be gone by then. */
  readonly expiresAt: number;
}

/** What the ACME protocol has to remember, for every thread and over restarts. */
export interface AcmeStore {
  account(directory: string): Promise<AcmeAccount | null>;
  saveAccount(account: AcmeAccount): Promise<void>;

  /** Publishes a challenge: every thread answers it from now on. Several values may share one name. */
  publishChallenge(challenge: PublishedChallenge): Promise<void>;
  withdrawChallenge(challenge: Pick<PublishedChallenge, "type" | "name" | "value">): Promise<void>;
  /**
   * Returns the values published under a name that have not expired; none for a stranger. One indexed read, synchronous as
   * all that serving reads: it is answered from SQLite, the store itself or a node's replica of it.
   */
  challengeValues(type: ChallengeType, name: string, now: number): readonly string[];

  /** Removes challenges that expired before `now`: leftovers of a process that was killed. */
  sweepChallenges(now: number): Promise<void>;

  /** Counts an order placed with a CA. Entries older than a day are dropped on the way. */
  countOrder(directory: string, at: number): Promise<void>;
  /** Returns how many orders were placed with the CA at or after `since`. */
  ordersSince(directory: string, since: number): Promise<number>;
}
