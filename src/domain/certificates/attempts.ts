import { lengthened } from "../jitter.ts";
import { DAY, HOUR, MINUTE } from "../timestamp.ts";
import { type Attempts, type Certificate, NO_ATTEMPTS } from "./certificate.ts";

/** Waits after the first, second, third … failure; the last one repeats. */
const LADDER = [2, 10, 20, 40, 60, 120, 240, 480, 960, 1440].map((minutes) => minutes * MINUTE);

/** Let's Encrypt allows five failed validations per account, name and hour. Two stay for what we cannot see. */
const MAX_FAILED_VALIDATIONS = 3;

const REFUSALS_BEFORE_NEXT_AUTHORITY = 3;

/** As its certificate nears its end, a name is tried at least every eighth of the time left, yet not more often than this. */
const URGENT_SHARE = 8;
const MIN_URGENT_WAIT = 20 * MINUTE;

/** No CA has a limit that lasts longer; a nonsensical Retry-After must not silence a name for ever. */
const MAX_RETRY_AFTER = 7 * DAY;

/** How often a CA is asked although our own probe failed: some networks cannot reach their own public address. */
const UNPROBED_INTERVAL = 6 * HOUR;

/**
 * Why an attempt failed. `probe`: our own look at the name failed and no CA was asked. `validation`: the CA looked and
 * did not find what it wanted. `refused`: the CA said no to something else. `undecided`: it has not made up its mind in
 * minutes. `unreachable`: no sensible answer came. The order goes on after the last two.
 */
export interface Failure {
  readonly kind: "probe" | "validation" | "refused" | "undecided" | "unreachable";
  readonly error: string;
  /** The directory of the CA that was asked; null for `probe`. */
  readonly authority: string | null;
  /** Milliseconds that the CA asked us to wait, from its Retry-After. */
  readonly retryAfter: number | null;
}

/**
 * Returns which of the CAs is next: three refusals in a row move on to the next one, and round again. One that asked to
 * be left alone is passed over as long as another may be asked before it.
 */
export function authorityAfter(attempts: Attempts, authorities: readonly string[], now: number): string {
  const turn = Math.floor(attempts.refusals / REFUSALS_BEFORE_NEXT_AUTHORITY) % authorities.length;
  const round = [...authorities.slice(turn), ...authorities.slice(0, turn)];
  const free = (authority: string) => Math.max(now, earliestAttempt(attempts, authority, now));
  return round.reduce((next, other) => (free(other) < free(next) ? other : next));
}

/** Returns the attempts after one more failure. `random` (0 to 1) lengthens the wait. */
export function afterFailure(
  attempts: Attempts,
  failure: Failure,
  current: Certificate | null,
  now: number,
  random: number,
): Attempts {
  const failures = attempts.failures + 1;
  const step = LADDER[Math.min(failures, LADDER.length) - 1] as number;
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

/** Returns the attempts after a certificate arrived: a clean ladder, yet what a CA asked for or counts stays known. */
export function afterSuccess(attempts: Attempts, now: number): Attempts {
  const { blockedUntil } = attempts;
  return { ...NO_ATTEMPTS, blockedUntil, failedValidations: recent(attempts, now), lastAt: now };
}

/**
 * Returns what outlives the release of a name, and until when, so that claiming it anew costs a CA no more than keeping
 * it would: what the CA asked for or counts. Null when there is nothing of that.
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
 * Returns the earliest moment for the next attempt at the CA: after the ladder's wait, never a fourth failed validation
 * within an hour, and not before the CA's own Retry-After. Times that lie ahead of a clock that was set back are void.
 */
export function earliestAttempt(attempts: Attempts, authority: string, now: number): number {
  const { lastAt, wait } = attempts;
  const ladder = lastAt === null || lastAt > now ? 0 : lastAt + wait;
  const failed = recent(attempts, now);
  const limit = failed.length < MAX_FAILED_VALIDATIONS ? 0 : (failed.at(-MAX_FAILED_VALIDATIONS) as number) + HOUR;
  const blockedUntil = attempts.blockedUntil[authority] ?? 0;
  return Math.max(ladder, limit, blockedUntil - now > MAX_RETRY_AFTER ? 0 : blockedUntil);
}

/** Returns whether the CA may be asked although our own probe has failed. */
export function mayAskUnprobed(attempts: Attempts, now: number): boolean {
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
