import type { ChallengeType } from "../../model/certificate.ts";

/** The server's account with one CA. */
interface AcmeAccount {
  readonly directory: string;
  /** PEM. Stored before the account is created at the CA, so that a crash never leaves an account without its key. */
  readonly key: string;
  /** The account's URL; null until the CA has confirmed it. */
  readonly url: string | null;
}

/** A challenge for the CA. `name` is the token (http-01) or the record's owner name in lower case (dns-01). */
export interface PublishedChallenge {
  readonly type: ChallengeType;
  readonly name: string;
  /** The key authorization (http-01) or the text of the record (dns-01). */
  readonly value: string;
  /** When it is deleted if its publisher does not withdraw it. */
  readonly expiresAt: number;
}

/** The persistent state of the ACME protocol, shared by all threads. */
export interface AcmeStore {
  account(directory: string): Promise<AcmeAccount | null>;
  saveAccount(account: AcmeAccount): Promise<void>;

  /** Publishes a challenge, which every thread serves from then on. Several values may share one name. */
  publishChallenge(challenge: PublishedChallenge): Promise<void>;
  withdrawChallenge(challenge: Pick<PublishedChallenge, "type" | "name" | "value">): Promise<void>;
  /**
   * Returns the unexpired values published under a name; none for an unknown name. One indexed read, synchronous like
   * all methods for serving.
   */
  challengeValues(type: ChallengeType, name: string, now: number): readonly string[];

  /** Deletes challenges that expired before `now`, which a killed process left. */
  deleteExpiredChallenges(now: number): Promise<void>;

  /** Counts an order placed with a CA, and deletes entries older than a day. */
  countOrder(directory: string, at: number): Promise<void>;
  /** Returns the number of orders placed with the CA at or after `since`. */
  ordersSince(directory: string, since: number): Promise<number>;
}
