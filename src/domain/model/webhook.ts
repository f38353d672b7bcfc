import type { EventType } from "./events.ts";

/** A URL that receives a site's events. Times are epoch milliseconds. */
export interface Webhook {
  /** Public identifier, random. */
  readonly id: string;
  /** Null once the site is deleted. The webhook is deleted after its pending deliveries. */
  readonly siteId: number | null;
  readonly url: string;
  /** The subscribed event types; null for all, including future ones. */
  readonly events: readonly EventType[] | null;
  /** `whsec_` and the key in base64. Stored in plain text, because it is needed to sign. */
  readonly secret: string;
  /** The previous secret, which also signs until `until`. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
  /** When attempts began to fail; null after a success. */
  readonly failingSince: number | null;
  /** Consecutive attempts that took longer than `SLOW_RESPONSE_MS`, and until when the receiver is paused for it. */
  readonly slowResponses: number;
  readonly restsUntil: number | null;
  readonly disabledAt: number | null;
  /** Why it was disabled, as a message for the owner. */
  readonly disabledReason: string | null;
}

/** The state of a webhook that was enabled. */
export const SWITCHED_ON = {
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  slowResponses: 0,
  restsUntil: null,
} satisfies Partial<Webhook>;

/** The identifier of the operator's webhook. It belongs to no site, and comes from the settings. */
export const OPERATOR_WEBHOOK = "operator";

export type NewWebhook = Pick<Webhook, "id" | "url" | "events" | "secret" | "createdAt"> & { readonly siteId: number };

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One event for one webhook, as its owner sees it. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** When the next attempt is due; null unless pending. */
  readonly nextAttemptAt: number | null;
  readonly attemptedAt: number | null;
  /** Status of the receiver's last response; null if there was none. */
  readonly statusCode: number | null;
  /** Why the last attempt failed; null if it succeeded. */
  readonly error: string | null;
  /** Duration of the last attempt in milliseconds. */
  readonly duration: number | null;
}

/** A stored event. Its ID is the `webhook-id` of every delivery, so that receivers recognize repetitions. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: number;
  readonly data: EventData;
}

export type EventData = Readonly<Record<string, string | number | boolean | null | readonly number[]>>;

/** Maximum webhooks of a site, to limit how many requests one event causes. */
export const MAX_WEBHOOKS = 20;

/**
 * Maximum pending deliveries of a webhook. A receiver that was away for long, or is too slow, cannot process more in
 * time, and without a limit they would fill the disk.
 */
export const MAX_WAITING = 1000;

/** The error of deliveries that were never tried because so many waited before them. */
export const TOO_MANY_WAITING = `${MAX_WAITING} deliveries waited for this webhook: it was not tried`;

export const MAX_URL = 2000;

/** The result of one attempt. */
export interface Attempt {
  readonly at: number;
  /** Null without a response. */
  readonly statusCode: number | null;
  /** Why there was no response; null if there was one. */
  readonly error: string | null;
  /** Milliseconds. */
  readonly duration: number;
}

/** The new state of a delivery and its webhook after an attempt. `disabledReason` is set if it must be disabled. */
export type Verdict = Pick<Delivery, "status" | "error" | "nextAttemptAt"> &
  Pick<Webhook, "failingSince" | "disabledReason" | "slowResponses" | "restsUntil">;
