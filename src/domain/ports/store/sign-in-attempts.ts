/** A sign-in that waits for the provider. */
interface SignInAttempt {
  /** SHA-256 of the secret in the browser's cookie. */
  readonly secretHash: string;
  /** The data to finish it, which only the browser's secret can decrypt. */
  readonly sealed: string;
  readonly expiresAt: number;
  /** When the provider may be polled again, if it is polled. */
  readonly nextPollAt: number;
}

export interface SignInAttemptStore {
  add(attempt: SignInAttempt): Promise<void>;

  /** Returns the attempt; null if it is unknown or expired at `now`. */
  find(secretHash: string, now: number): Promise<SignInAttempt | null>;

  /** Returns the attempt and deletes it in one transaction, so that it is finished once. */
  take(secretHash: string, now: number): Promise<SignInAttempt | null>;

  /** Moves the next poll to `nextPollAt` if one is due at `now`; false if it is not, because another caller polls. */
  claimPoll(secretHash: string, now: number, nextPollAt: number): Promise<boolean>;

  /** Replaces the sealed data, and delays the next poll until `nextPollAt`. */
  replace(secretHash: string, sealed: string, nextPollAt: number): Promise<void>;

  deleteExpired(now: number): Promise<number>;
}
