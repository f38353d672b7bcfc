import { DomainError } from "./errors.ts";
import type { RateLimitStore } from "./ports/store/rate-limits.ts";
import { MINUTE } from "./timestamp.ts";

/** At most `count` events of one key within any span of `window` milliseconds: a sliding window. */
export interface RateLimit {
  readonly name: string;
  readonly count: number;
  readonly window: number;
  /** Told to people who went over it. */
  readonly detail: string;
}

export const SIGN_IN_LIMIT: RateLimit = {
  name: "sign-in",
  count: 10,
  window: 15 * MINUTE,
  detail: "too many sign-ins from this address: try again later",
};

/** RFC 8628 section 5.1: a user code is short, so that guessing has to be slow. */
export const WRONG_USER_CODE_LIMIT: RateLimit = {
  name: "wrong-user-code",
  count: 5,
  window: 10 * MINUTE,
  detail: "too many wrong codes from this address: try again later",
};

export const DEVICE_START_LIMIT: RateLimit = {
  name: "device-start",
  count: 20,
  window: MINUTE,
  detail: "too many device authorizations from this address: try again in a minute",
};

/** Nobody needs sixty tokens a minute; a script gone wild does. */
export const TOKEN_CREATION_LIMIT: RateLimit = {
  name: "token-creation",
  count: 60,
  window: MINUTE,
  detail: "too many tokens created: try again in a minute",
};

/** Each makes a request to an address of somebody's choice. */
export const WEBHOOK_TRIAL_LIMIT: RateLimit = {
  name: "webhook-trial",
  count: 30,
  window: MINUTE,
  detail: "too many tests and retries of webhooks: try again in a minute",
};

/** Counts one event of `subject`, or throws `too_many_requests`. Refused events do not count. */
export async function takeFromLimit(
  limits: Pick<RateLimitStore, "take">,
  limit: RateLimit,
  subject: string,
  now: number,
): Promise<void> {
  refuseAfter(limit, await limits.take(limitKey(limit, subject), limit, now));
}

/** Throws `too_many_requests` where the limit is used up, and counts nothing. */
export async function checkLimit(
  limits: Pick<RateLimitStore, "wait">,
  limit: RateLimit,
  subject: string,
  now: number,
): Promise<void> {
  refuseAfter(limit, await limits.wait(limitKey(limit, subject), limit, now));
}

/**
 * Returns what stands for an address in a limit. An IPv6 subscriber has a whole /64 at hand, so that its addresses
 * count as one.
 */
export function addressSubject(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const whole = [...groups, ...Array<string>(zeros).fill("0"), ...after];
  return `${whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}

// --- internal ---

function limitKey(limit: RateLimit, subject: string): string {
  return `${limit.name} ${subject}`;
}

function refuseAfter(limit: RateLimit, wait: number): void {
  if (wait > 0) throw new DomainError("too_many_requests", limit.detail, { retryAfter: Math.ceil(wait / 1000) });
}
