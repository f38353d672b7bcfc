import { lengthened } from "../jitter.ts";
import { type Attempts, type Certificate, type Failure, NO_ATTEMPTS } from "../model/certificate.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";

/** Delays after consecutive failures; the last one repeats. */
const RETRY_DELAYS = [2, 10, 20, 40, 60, 120, 240, 480, 960, 1440].map((minutes) => minutes * MINUTE);

/** Let's Encrypt allows five failed validations per account, name and hour. Two are left for uses that we cannot see. */
const MAX_FAILED_VALIDATIONS = 3;

const REFUSALS_BEFORE_NEXT_AUTHORITY = 3;

/** Close to expiry, a name is retried at least every eighth of the remaining time, but no more often than this. */
const URGENT_SHARE = 8;
const MIN_URGENT_WAIT = 20 * MINUTE;

/** No CA has a longer limit. A nonsensical Retry-After must not block a name forever. */
const MAX_RETRY_AFTER = 7 * DAY;

/**
 * The interval at which a CA is tried although the probe failed, because some networks cannot reach their own public
 * address.
 */
const UNPROBED_INTERVAL = 6 * HOUR;

/**
 * Returns the next CA: after three consecutive refusals it moves on to the next one, cyclically. A CA that asked to
 * wait is skipped if another one is available earlier.
 */
export function authorityAfter(attempts: Attempts, authorities: readonly string[], now: number): string {
  const turn = Math.floor(attempts.refusals / REFUSALS_BEFORE_NEXT_AUTHORITY) % authorities.length;
  const round = [...authorities.slice(turn), ...authorities.slice(0, turn)];
  const free = (authority: string) => Math.max(now, earliestAttempt(attempts, authority, now));
  return round.reduce((next, other) => (free(other) < free(next) ? other : next));
}

/** Returns the attempts after another failure. `random` (0 to 1) adds jitter. */
export function afterFailure(
  attempts: Attempts,
  failure: Failure,
  current: Certificate | null,
  now: number,
  random: number,
): Attempts {
  const failures = attempts.failures + 1;
  const step = RETRY_DELAYS[Math.min(failures, RETRY_DELAYS.length) - 1] as number;
  const left = current === null ? 0 : current.notAfter - now;
  const urgent = left > 0 ? Math.max(MIN_URGENT_WAIT, left / URGENT_SHARE) : Number.POSITIVE_INFINITY;
  return {
    ...attempts,
    failures,
    refusals: attempts.refusals + (failure.kind === "probe" ? 0 : 1),
    failedValidations: [...recent(attempts, now), ...(failure.kind === "validation" ? [now] : [])],
    lastAt: now,
    wait: lengthened(Math.min(step, urgent), random),
    blockedUntil: blocked(attempts, failure, now),
    error: failure.error,
  };
}

/** Returns the attempts after a success: resets the backoff, but keeps the limits of the CAs. */
export function afterSuccess(attempts: Attempts, now: number): Attempts {
  const { blockedUntil } = attempts;
  return { ...NO_ATTEMPTS, blockedUntil, failedValidations: recent(attempts, now), lastAt: now };
}

/**
 * Returns the state that outlives the release of a name, and until when, so that a new claim cannot bypass
 * the limits of a CA. Null if there is none.
 */
export function afterRelease(
  attempts: Attempts,
  now: number,
): { readonly attempts: Attempts; readonly until: number } | null {
  const failedValidations = recent(attempts, now);
  const { blockedUntil } = attempts;
  const ends = [...failedValidations.map((at) => at + HOUR), ...Object.values(blockedUntil)];
  const until = Math.min(Math.max(...ends), now + MAX_RETRY_AFTER);
  return until > now ? { attempts: { ...NO_ATTEMPTS, blockedUntil, failedValidations }, until } : null;
}

/**
 * Returns the earliest time of the next attempt at the CA: after the backoff, never a fourth failed validation
 * within an hour, and not before the CA's Retry-After. Times in the future, after the clock was set back, are ignored.
 */
export function earliestAttempt(attempts: Attempts, authority: string, now: number): number {
  const { lastAt, wait } = attempts;
  const retryAt = lastAt === null || lastAt > now ? 0 : lastAt + wait;
  const failed = recent(attempts, now);
  const limit = failed.length < MAX_FAILED_VALIDATIONS ? 0 : (failed.at(-MAX_FAILED_VALIDATIONS) as number) + HOUR;
  const blockedUntil = attempts.blockedUntil[authority] ?? 0;
  return Math.max(retryAt, limit, blockedUntil - now > MAX_RETRY_AFTER ? 0 : blockedUntil);
}

/** Returns whether the CA may be tried although the probe failed. */
export function mayTryUnprobed(attempts: Attempts, now: number): boolean {
  const { unprobedAt } = attempts;
  return unprobedAt === null || unprobedAt > now || now - unprobedAt >= UNPROBED_INTERVAL;
}

// --- internal ---

function recent(attempts: Attempts, now: number): readonly number[] {
  return attempts.failedValidations.filter((at) => at <= now && now - at < HOUR);
}

function blocked(attempts: Attempts, failure: Failure, now: number): Attempts["blockedUntil"] {
  if (failure.authority === null || failure.retryAfter === null) return attempts.blockedUntil;
  return { ...attempts.blockedUntil, [failure.authority]: now + Math.min(failure.retryAfter, MAX_RETRY_AFTER) };
}
