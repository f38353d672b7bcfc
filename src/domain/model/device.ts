import type { SessionLimit } from "./scope.ts";

/** The access that an approval grants to a device. */
export interface DeviceGrant {
  /** Null for full access to the account. */
  readonly limit: SessionLimit | null;
  /** Milliseconds until the token expires; null for the limits of an ordinary session. */
  readonly lifetime: number | null;
}

/** A device that waits for a user's approval (RFC 8628). */
export interface DeviceAuthorization {
  readonly id: number;
  readonly clientName: string;
  /** The IP address of the device, shown to the user who approves. */
  readonly address: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Seconds; increased by every early poll. */
  readonly interval: number;
  readonly lastPolledAt: number | null;
  readonly verdict: "pending" | "approved" | "denied" | "redeemed";
  /** The user who approved or denied it. */
  readonly userId: number | null;
  /** The scope that the device asks for, in the form of `formatScope`; null where it named none. */
  readonly scope: string | null;
  /** The access that the approval granted; null for that of a device without a scope. */
  readonly granted: DeviceGrant | null;
}

/** The errors of the token endpoint in RFC 8628. */
export type PollError = "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant";

/** The response to a poll: an error, or the authorization with the user who approved it. */
export type PollResponse = PollError | { readonly approved: DeviceAuthorization; readonly userId: number };
