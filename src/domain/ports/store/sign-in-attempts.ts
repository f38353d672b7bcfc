/** A sign-in that waits for an answer from the provider. */
export interface SignInAttempt {
  /** SHA-256 of the secret that the browser holds in a cookie. */
  readonly secretHash: string;
  /** What is needed to finish, readable with the browser's secret alone. */
  readonly sealed: string;
  readonly expiresAt: number;
  /** When the provider may be asked again, where it is asked repeatedly. */
  readonly nextPollAt: number;
}

export interface SignInAttemptStore {
  add(attempt: SignInAttempt): Promise<void>;

  /** Returns the attempt; null when unknown or expired at `now`. */
  find(secretHash: string, now: number): Promise<SignInAttempt | null>;

  /** Returns the attempt and forgets it in one step, so that it is finished once. */
  take(secretHash: string, now: number): Promise<SignInAttempt | null>;

  /** Moves the next poll to `nextPollAt` if one is due at `now`; false when it is not: someone else polls. */
  claimPoll(secretHash: string, now: number, nextPollAt: number): Promise<boolean>;

  /** Replaces what is sealed, and keeps the provider from being asked before `nextPollAt`. */
  replace(secretHash: string, sealed: string, nextPollAt: number): Promise<void>;

  removeExpired(now: number): Promise<number>;
}
