import type { DeviceAuthorization, PollDecision } from "../../accounts/device-authorization.ts";

export interface NewDeviceAuthorization {
  /** SHA-256 of the codes, lower-case hex: the codes themselves are kept nowhere. */
  readonly deviceCodeHash: string;
  readonly userCodeHash: string;
  readonly clientName: string;
  readonly address: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Seconds. */
  readonly interval: number;
}

export interface DeviceCodeStore {
  /** Keeps a new authorization; false, and nothing kept, when one of its codes is taken. */
  add(authorization: NewDeviceAuthorization): Promise<boolean>;

  /** Returns the authorization that a person typed the code of, in whatever state; null when there is none. */
  findByUserCode(userCodeHash: string): Promise<DeviceAuthorization | null>;

  /**
   * Records the verdict of the session's person; false when the code is no longer pending, or expired at `now`, or the
   * session was ended. One step.
   */
  resolve(id: number, verdict: "approved" | "denied", sessionId: number, now: number): Promise<boolean>;

  /**
   * Hands the authorization (null when unknown) to `decide` and records the change it asks for, in one step:
   * of two polls at the same instant only one redeems. `decide` is synchronous, has no effects of its own, and may be
   * asked twice; where it asks for no change nothing is written.
   */
  poll(
    deviceCodeHash: string,
    decide: (authorization: DeviceAuthorization | null) => PollDecision,
  ): Promise<PollDecision>;

  /** Forgets authorizations that expired before `at`; returns how many. */
  removeExpired(at: number): Promise<number>;
}
