import type { DeviceAuthorization, DeviceGrant, PollResponse } from "../../model/device.ts";

type NewFields = "clientName" | "address" | "createdAt" | "expiresAt" | "interval" | "scope";

export interface NewDeviceAuthorization extends Pick<DeviceAuthorization, NewFields> {
  /** SHA-256 of the codes in lower-case hex. The codes themselves are not stored. */
  readonly deviceCodeHash: string;
  readonly userCodeHash: string;
}

/** A person's decision about a device. */
export type DeviceVerdict =
  | { readonly verdict: "approved"; readonly granted: DeviceGrant | null }
  | { readonly verdict: "denied" };

export interface DeviceCodeStore {
  /** Stores a new authorization. Returns false without changes if one of its codes exists. */
  add(authorization: NewDeviceAuthorization): Promise<boolean>;

  /** Returns the authorization with a user code, in any state; null if there is none. */
  findByUserCode(userCodeHash: string): Promise<DeviceAuthorization | null>;

  /**
   * Records the verdict of the session's user in one transaction. Returns false if the code is no longer pending, or
   * expired at `now`, or the session was ended.
   */
  resolve(id: number, verdict: DeviceVerdict, sessionId: number, now: number): Promise<boolean>;

  /**
   * Decides a poll (`decidePoll`), records the changes and returns the response in one transaction, so that of two
   * concurrent polls only one redeems. A poll without a change writes nothing.
   */
  poll(deviceCodeHash: string, now: number): Promise<PollResponse>;

  /** Deletes authorizations that expired before `at`. Returns their number. */
  deleteExpired(at: number): Promise<number>;
}
