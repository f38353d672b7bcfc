import { lengthened, longest } from "../jitter.ts";
import type { EventType } from "../model/events.ts";
import type { Attempt, Delivery, Verdict, Webhook } from "../model/webhook.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../timestamp.ts";

/** Delays before each attempt, as Standard Webhooks proposes. After the last one the delivery has failed. */
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

/** A delivery planned further ahead was planned while the clock was wrong. */
export const MAX_WAIT = longest(DAY);

/**
 * An attempt that takes longer occupies a place for which others wait. Whatever the response, its receiver counts as
 * failing and is paused, longer each consecutive time.
 */
export const SLOW_RESPONSE_MS = 5 * SECOND;
const RESTS = [5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE] as const;
export const MAX_REST = MINUTE;

/** A webhook that failed for this long is disabled … */
const DISABLE_AFTER_MS = 5 * DAY;
/** … once a delivery has had this many attempts, because after a long silence a single failure proves little. */
const ATTEMPTS_THAT_COUNT = 5;

/** The state before an attempt; `attempts` are those of the delivery. */
interface BeforeAttempt extends Pick<Webhook, "failingSince" | "slowResponses"> {
  readonly type: EventType;
  readonly attempts: number;
}

/**
 * Evaluates an attempt. Any 2xx is a success. 410 disables the webhook at once, and so do five
 * days of failures, unless the clock is not trusted. A ping has one attempt, because somebody waits for it.
 */
export function evaluateAttempt(
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
  // A start in the future was recorded while the clock was wrong.
  const since = before.failingSince === null || before.failingSince > now ? now : before.failingSince;
  const disabledReason = whyDisabled(statusCode, attempts, now - since, circumstances.clockTrusted);
  const wait = isPing ? undefined : ATTEMPT_WAITS[attempts];
  const again = wait !== undefined && disabledReason === null;
  return {
    status: again ? "pending" : "failed",
    error: attempt.error ?? wordsFor(statusCode),
    // Jitter protects receivers that come back from a burst.
    nextAttemptAt: again ? now + lengthened(wait, circumstances.random()) : null,
    failingSince: isPing ? before.failingSince : since,
    disabledReason,
    ...pace,
  };
}

/** The error of deliveries that were cancelled because their webhook was disabled. */
export const GIVEN_UP = "the webhook was disabled";

/** The fields of a delivery and its webhook that an attempt changes. */
interface AttemptChanges {
  readonly delivery: Pick<
    Delivery,
    "status" | "attempts" | "nextAttemptAt" | "attemptedAt" | "statusCode" | "error" | "duration"
  >;
  readonly webhook: Pick<Webhook, "failingSince" | "slowResponses" | "restsUntil">;
}

/** Returns what an attempt changes. There is no retry if the webhook is disabled. */
export function attemptChanges(
  before: Pick<Delivery, "attempts"> & Pick<Webhook, "disabledAt">,
  { at, statusCode, duration }: Attempt,
  { status, error, nextAttemptAt, disabledReason, ...webhook }: Verdict,
): AttemptChanges {
  const isDisabled = before.disabledAt !== null || disabledReason !== null;
  const next = isDisabled && status === "pending" ? GIVEN_UP_NOW : { status, nextAttemptAt };
  const attempted = { attempts: before.attempts + 1, attemptedAt: at, statusCode, error, duration };
  return { delivery: { ...next, ...attempted }, webhook };
}

/** The state after a success at the usual pace. */
export const DELIVERED: Verdict = {
  status: "delivered",
  error: null,
  nextAttemptAt: null,
  failingSince: null,
  disabledReason: null,
  slowResponses: 0,
  restsUntil: null,
};

// --- internal ---

const GIVEN_UP_NOW = { status: "failed", nextAttemptAt: null } as const;

function paceAfter({ slowResponses }: BeforeAttempt, { duration }: Attempt, now: number) {
  if (duration <= SLOW_RESPONSE_MS) return { slowResponses: 0, restsUntil: null };
  return { slowResponses: slowResponses + 1, restsUntil: now + (RESTS[slowResponses] ?? MAX_REST) };
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
