import { DomainError } from "../errors.ts";
import type { Rate } from "../model/rate.ts";
import type { RateLimitStore } from "../ports/store/rate-limits.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";

/** A rate, and the message for those who exceed it. */
interface RateLimit {
  readonly name: string;
  readonly detail: string;
}

export const RATE_LIMITS = {
  signIn: { name: "sign-in", detail: "too many sign-ins from this address: try again later" },
  /** RFC 8628 section 5.1: a user code is short, so that guessing has to be slow. */
  userCode: { name: "wrong-user-code", detail: "too many wrong codes from this address: try again later" },
  passkey: {
    name: "passkey-challenge",
    detail: "too many attempts with passkeys from this address: try again in a minute",
  },
  device: { name: "device-start", detail: "too many device authorizations from this address: try again in a minute" },
  exchange: { name: "token-exchange", detail: "too many token exchanges from this address: try again in a minute" },
  registration: { name: "client-registration", detail: "too many programs from this address: try again in a minute" },
  mcpCall: { name: "mcp-call", detail: "too many calls of tools with this credential: try again in a minute" },
  shareGuess: { name: "share-guess", detail: "too many wrong passwords from this address: try again later" },
  sharePassword: {
    name: "share-password",
    detail: "too many entries with passwords from this address: try again later",
  },
  shareLink: { name: "share-link", detail: "too many entries by link from this address: try again later" },
  /** Each may send a request to the identity provider, or invite somebody. */
  lookup: { name: "provider-lookup", detail: "too many logins looked up: try again in a minute" },
  token: { name: "token-creation", detail: "too many tokens created: try again later" },
  /** Each sends a request to a URL that the user chooses. */
  webhook: { name: "webhook-trial", detail: "too many tests and retries of webhooks: try again in a minute" },
  deploy: { name: "deploy", detail: "too many deployments with this token: try again later" },
  ownerDeploy: { name: "owner-deploy", detail: "too many deployments of this owner's sites: try again later" },
} as const satisfies Record<string, RateLimit>;

type LimitName = keyof typeof RATE_LIMITS;

/**
 * The effective rates; null for no limit. Those of claims are counted from the claims, those of API calls and visits by
 * a throttle.
 */
export type Rates = Readonly<Record<LimitName | "claim" | "claimBurst", Rate | null>>;

export const STANDARD_RATES: Rates = {
  signIn: { count: 10, window: 15 * MINUTE },
  userCode: { count: 5, window: 10 * MINUTE },
  passkey: { count: 20, window: MINUTE },
  device: { count: 20, window: MINUTE },
  exchange: { count: 30, window: MINUTE },
  registration: { count: 20, window: MINUTE },
  mcpCall: { count: 60, window: MINUTE },
  shareGuess: { count: 10, window: 15 * MINUTE },
  sharePassword: { count: 20, window: 15 * MINUTE },
  shareLink: { count: 300, window: 15 * MINUTE },
  lookup: { count: 60, window: MINUTE },
  token: null,
  claim: { count: 20, window: DAY },
  claimBurst: { count: 5, window: MINUTE },
  webhook: { count: 30, window: MINUTE },
  deploy: null,
  ownerDeploy: null,
};

/** The retention of events, and so the maximum window. */
export const MAX_WINDOW = DAY;

/** Formats a rate: `20 a day`, `10 in 15 minutes`. */
export function describeRate({ count, window }: Rate): string {
  const [unit, length] = UNITS.find(([, span]) => window % span === 0) ?? (["second", SECOND] as const);
  const units = window / length;
  return units === 1 ? `${count} ${unit === "hour" ? "an" : "a"} ${unit}` : `${count} in ${units} ${unit}s`;
}

interface LimitPorts<Name extends LimitName, Method extends keyof RateLimitStore> {
  readonly store: { readonly rateLimits: Pick<RateLimitStore, Method> };
  readonly rates: Pick<Rates, Name>;
}

/** Counts an event of `subject`, or throws `too_many_requests`. Refused events do not count. */
export async function takeFromLimit<Name extends LimitName>(
  { store, rates }: LimitPorts<Name, "take">,
  limit: Name,
  subject: string,
  now: number,
): Promise<void> {
  const rate = rates[limit];
  if (rate) refuseAfter(limit, await store.rateLimits.take(limitKey(limit, subject), rate, now));
}

/** Throws `too_many_requests` if the limit is reached. Counts nothing. */
export async function checkLimit<Name extends LimitName>(
  { store, rates }: LimitPorts<Name, "wait">,
  limit: Name,
  subject: string,
  now: number,
): Promise<void> {
  const rate = rates[limit];
  if (rate) refuseAfter(limit, await store.rateLimits.wait(limitKey(limit, subject), rate, now));
}

/** Removes an event that was counted at that time. */
export function refundLimit(
  limits: Pick<RateLimitStore, "release">,
  limit: LimitName,
  subject: string,
  at: number,
): Promise<void> {
  return limits.release(limitKey(limit, subject), at);
}

/** Returns the error of somebody who may try again after `wait` milliseconds. */
export function tooManyRequests(limit: LimitName, wait: number): DomainError {
  return new DomainError("too_many_requests", RATE_LIMITS[limit].detail, { retryAfter: Math.ceil(wait / 1000) });
}

/**
 * Returns the subject of an IP address in a limit. An IPv6 subscriber has a whole /64, so that its addresses
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

const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
] as const;

function limitKey(limit: LimitName, subject: string): string {
  return `${RATE_LIMITS[limit].name} ${subject}`;
}

function refuseAfter(limit: LimitName, wait: number): void {
  if (wait > 0) throw tooManyRequests(limit, wait);
}
