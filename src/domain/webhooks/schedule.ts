import { lengthened, longest } from "../jitter.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";
import type { EventType } from "./events.ts";
import type { DeliveryStatus, Webhook } from "./webhook.ts";

/** Waits before the first, second, third … attempt, as Standard Webhooks proposes them; then the delivery has failed. */
const ATTEMPT_WAITS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  DAY,
] as const;

/** A delivery that is planned for later than this was planned by a clock that was wrong. */
export const MAX_WAIT = longest(DAY);

/**
 * An attempt that takes longer holds a place for which others wait, whatever the answer: its receiver counts as one that
 * fails, and is left alone for a while, longer each time in a row.
 */
export const SLOW_ANSWER_MS = 5 * SECOND;
const RESTS = [5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE] as const;
export const MAX_REST = MINUTE;

/** A webhook that failed for so long is switched off … */
const DISABLE_AFTER_MS = 5 * DAY;
/** … once a delivery has been tried this often: after a long silence, one new event proves little at first. */
const ATTEMPTS_THAT_COUNT = 5;

/** What came of one attempt. */
export interface Attempt {
  readonly at: number;
  /** Null where no answer came. */
  readonly statusCode: number | null;
  /** Why no answer came; null where one did. */
  readonly error: string | null;
  /** Milliseconds. */
  readonly duration: number;
}

/** What becomes of a delivery and its webhook after an attempt. */
export interface Verdict {
  readonly status: DeliveryStatus;
  readonly error: string | null;
  readonly nextAttemptAt: number | null;
  readonly failingSince: number | null;
  /** Set when the webhook is to be switched off. */
  readonly disabledReason: string | null;
  readonly slowAnswers: number;
  readonly restsUntil: number | null;
}

/** What is known before an attempt; `attempts` counts those of the delivery. */
interface BeforeAttempt extends Pick<Webhook, "failingSince" | "slowAnswers"> {
  readonly type: EventType;
  readonly attempts: number;
}

/**
 * Judges an attempt. Any 2xx is a success. 410 switches the webhook off at once, five
 * days of nothing but failures do so too, unless the clock is in doubt. A ping is tried once: somebody waits for it.
 */
export function judge(
  before: BeforeAttempt,
  attempt: Attempt,
  circumstances: { readonly now: number; readonly random: () => number; readonly clockTrusted: boolean },
): Verdict {
  const { statusCode } = attempt;
  const { now } = circumstances;
  const pace = paceAfter(before, attempt, now);
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { ...DELIVERED, ...pace };
  const attempts = before.attempts + 1;
  const isPing = before.type === "ping";
  // A start that lies ahead was noted by a clock that was wrong.
  const since = before.failingSince === null || before.failingSince > now ? now : before.failingSince;
  const disabledReason = whyDisabled(statusCode, attempts, now - since, circumstances.clockTrusted);
  const wait = isPing ? undefined : ATTEMPT_WAITS[attempts];
  const again = wait !== undefined && disabledReason === null;
  return {
    status: again ? "pending" : "failed",
    error: attempt.error ?? wordsFor(statusCode),
    // Receivers that were away are not met by everything at once.
    nextAttemptAt: again ? now + lengthened(wait, circumstances.random()) : null,
    failingSince: isPing ? before.failingSince : since,
    disabledReason,
    ...pace,
  };
}

/** What stands at deliveries that were given up together with their webhook. */
export const GIVEN_UP = "the webhook was disabled";

/** Returns what a verdict comes to: nobody tries again for a webhook that is off, or is switched off by it. */
export function settle(verdict: Verdict, isOff: boolean): Verdict {
  const off = isOff || verdict.disabledReason !== null;
  if (!off || verdict.status !== "pending") return verdict;
  return { ...verdict, status: "failed", nextAttemptAt: null };
}

// --- internal ---

const DELIVERED = {
  status: "delivered",
  error: null,
  nextAttemptAt: null,
  failingSince: null,
  disabledReason: null,
} as const;

function paceAfter({ slowAnswers }: BeforeAttempt, { duration }: Attempt, now: number) {
  if (duration <= SLOW_ANSWER_MS) return { slowAnswers: 0, restsUntil: null };
  return { slowAnswers: slowAnswers + 1, restsUntil: now + (RESTS[slowAnswers] ?? MAX_REST) };
}

const GONE = 410;

function whyDisabled(statusCode: number | null, attempts: number, failing: number, trusted: boolean): string | null {
  if (statusCode === GONE) return "the receiver responded with 410 Gone";
  if (!trusted || failing < DISABLE_AFTER_MS || attempts < ATTEMPTS_THAT_COUNT) return null;
  return "every attempt failed for five days";
}

function wordsFor(statusCode: number | null): string {
  if (statusCode === null) return "no response";
  if (statusCode >= 300 && statusCode < 400) return `responded with ${statusCode}: redirects are not followed`;
  return `responded with ${statusCode}`;
}
