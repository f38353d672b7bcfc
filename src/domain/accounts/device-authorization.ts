import type { Secrets } from "../ports/secrets.ts";
import { MINUTE, SECOND } from "../timestamp.ts";

/** How long both codes of a device authorization live. */
export const DEVICE_CODE_LIFETIME = 15 * MINUTE;
/** Seconds between two polls, and what every poll that came too early adds (RFC 8628 section 3.5). */
export const POLL_INTERVAL = 5;
const SLOW_DOWN_STEP = 5;
/** In characters: what a program calls itself. */
export const MAX_CLIENT_NAME_LENGTH = 100;

/** Seconds beyond which the interval does not grow: further early polls change nothing, and so cost no write. */
const MAX_INTERVAL = 300;
/** A client that waits the interval exactly may arrive a little early by its own clock. */
const POLL_TOLERANCE = SECOND / 2;

/** A device that waits for a person to let it in (RFC 8628). */
export interface DeviceAuthorization {
  readonly id: number;
  readonly clientName: string;
  /** The address that asked for the codes, shown to the person who approves. */
  readonly address: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Seconds; grows with every poll that came too early. */
  readonly interval: number;
  readonly lastPolledAt: number | null;
  readonly verdict: "pending" | "approved" | "denied" | "redeemed";
  /** Who gave the verdict. */
  readonly userId: number | null;
}

/** The errors of the token endpoint, in RFC 8628's own words. */
export type PollError = "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant";

/** What a poll is answered: an error, or the authorization with the person who approved it. */
export type PollAnswer = PollError | { readonly approved: DeviceAuthorization; readonly userId: number };

/** What a poll is answered, and what is to be recorded of it. */
export interface PollDecision {
  readonly answer: PollAnswer;
  readonly change: Partial<Pick<DeviceAuthorization, "interval" | "lastPolledAt" | "verdict">> | null;
}

/**
 * Decides a poll of the token endpoint. A verdict is told at once, however early the poll: only waiting is paced.
 * A code is redeemed once; afterwards it is as unknown as any other.
 */
export function decidePoll(authorization: DeviceAuthorization | null, now: number): PollDecision {
  if (authorization === null || authorization.verdict === "redeemed") return { answer: "invalid_grant", change: null };
  if (now >= authorization.expiresAt) return { answer: "expired_token", change: null };
  if (authorization.verdict === "denied") return { answer: "access_denied", change: null };
  if (authorization.verdict === "approved" && authorization.userId !== null) {
    const answer = { approved: authorization, userId: authorization.userId };
    return { answer, change: { verdict: "redeemed", lastPolledAt: now } };
  }
  const { lastPolledAt, interval } = authorization;
  const tooEarly = lastPolledAt !== null && now - lastPolledAt < interval * SECOND - POLL_TOLERANCE;
  if (!tooEarly) return { answer: "authorization_pending", change: { lastPolledAt: now } };
  if (interval >= MAX_INTERVAL) return { answer: "slow_down", change: null };
  return { answer: "slow_down", change: { lastPolledAt: now, interval: interval + SLOW_DOWN_STEP } };
}

/** Consonants only, none that looks like another: no words, no mistakes (RFC 8628 section 6.1). 20^8 are 34.5 bits. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Returns a fresh user code as people see it: `WDJB-MJHT`. */
export function newUserCode(secrets: Pick<Secrets, "random">): string {
  let letters = "";
  while (letters.length < LENGTH) {
    for (const byte of secrets.random(LENGTH)) {
      // 240 is the largest multiple of 20 in a byte: beyond it some letters would come more often.
      if (byte < 240 && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Returns what a person typed in the form that was issued, forgiving case, spaces and hyphens; null when it is no code. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s\p{Pd}]/gu, "");
  const isCode = letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}
