import type { DeviceAuthorization, PollResponse } from "../model/device.ts";
import type { Secrets } from "../ports/system.ts";
import { MINUTE, SECOND } from "../timestamp.ts";

/** Lifetime of both codes of a device authorization. */
export const DEVICE_CODE_LIFETIME = 15 * MINUTE;
/** Seconds between two polls, and the increase after an early poll (RFC 8628 section 3.5). */
export const POLL_INTERVAL_SECONDS = 5;
const SLOW_DOWN_STEP_SECONDS = 5;

export const MAX_CLIENT_NAME_LENGTH = 100;

/** Maximum interval in seconds. Early polls beyond it change nothing, and so cause no write. */
const MAX_INTERVAL_SECONDS = 300;
/** A client that waits exactly the interval may arrive slightly early. */
const POLL_TOLERANCE = SECOND / 2;

/** The response to a poll, and the change to record. */
export interface PollDecision {
  readonly response: PollResponse;
  readonly change: Partial<Pick<DeviceAuthorization, "interval" | "lastPolledAt" | "verdict">> | null;
}

/**
 * Decides on a poll of the token endpoint. An approval or denial is reported even to an early poll.
 * A code can be redeemed once; afterwards it is unknown.
 */
export function decidePoll(authorization: DeviceAuthorization | null, now: number): PollDecision {
  if (authorization === null || authorization.verdict === "redeemed")
    return { response: "invalid_grant", change: null };
  if (now >= authorization.expiresAt) return { response: "expired_token", change: null };
  if (authorization.verdict === "denied") return { response: "access_denied", change: null };
  if (authorization.verdict === "approved" && authorization.userId !== null) {
    const response = { approved: authorization, userId: authorization.userId };
    return { response, change: { verdict: "redeemed", lastPolledAt: now } };
  }
  const { lastPolledAt, interval } = authorization;
  const tooEarly = lastPolledAt !== null && now - lastPolledAt < interval * SECOND - POLL_TOLERANCE;
  if (!tooEarly) return { response: "authorization_pending", change: { lastPolledAt: now } };
  if (interval >= MAX_INTERVAL_SECONDS) return { response: "slow_down", change: null };
  return { response: "slow_down", change: { lastPolledAt: now, interval: interval + SLOW_DOWN_STEP_SECONDS } };
}

/** Distinguishable consonants, which form no words (RFC 8628 section 6.1). 20^8 codes are 34.5 bits. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Returns a random user code in display form: `WDJB-MJHT`. */
export function newUserCode(secrets: Pick<Secrets, "random">): string {
  let letters = "";
  while (letters.length < LENGTH) {
    for (const byte of secrets.random(LENGTH)) {
      // 240 is the largest multiple of 20 in a byte. Larger values would make some letters more frequent.
      if (byte < 240 && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Normalizes a typed user code, ignoring case, spaces and hyphens; null if it is not a code. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  const isCode = letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}
