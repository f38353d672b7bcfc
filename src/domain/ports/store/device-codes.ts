import type { DeviceGrant } from "../../accounts/consent.ts";
import type { DeviceAuthorization, PollAnswer } from "../../accounts/device-authorization.ts";

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
  /** The scope that the device asks for; null where it named none. */
  readonly scope: string | null;
}

/** A person's decision about a device. */
export type DeviceVerdict =
  | { readonly verdict: "approved"; readonly granted: DeviceGrant | null }
  | { readonly verdict: "denied" };

export interface DeviceCodeStore {
  /** Keeps a new authorization; false, and nothing kept, when one of its codes is taken. */
  add(authorization: NewDeviceAuthorization): Promise<boolean>;

  /** Returns the authorization that a person typed the code of, in whatever state; null when there is none. */
  findByUserCode(userCodeHash: string): Promise<DeviceAuthorization | null>;

  /**
   * Records the verdict of the session's person; false when the code is no longer pending, or expired at `now`, or the
   * session was ended. One step.
   */
  resolve(id: number, verdict: DeviceVerdict, sessionId: number, now: number): Promise<boolean>;

  /**
   * Decides a poll (`decidePoll`), records what it changes and returns the answer, in one step: of two polls at the same
   * instant only one redeems. A poll that changes nothing writes nothing.
   */
  poll(deviceCodeHash: string, now: number): Promise<PollAnswer>;

  /** Forgets authorizations that expired before `at`; returns how many. */
  removeExpired(at: number): Promise<number>;
}
