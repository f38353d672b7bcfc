import type { EventType } from "./events.ts";

/** An address of the owner's that hears what happens to a site. Times are epoch milliseconds. */
export interface Webhook {
  /** Public identifier, random. */
  readonly id: string;
  /** Null once the site is gone: what it still has to tell is told, then the webhook is forgotten. */
  readonly siteId: number | null;
  readonly url: string;
  /** Which events it hears of; null for all, also those that later versions add. */
  readonly events: readonly EventType[] | null;
  /** `whsec_` and the key in base64. Kept as it is: without it nothing can be signed. */
  readonly secret: string;
  /** The secret before the last rotation, which signs as well until then. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
  /** When attempts began to fail; null after a success. */
  readonly failingSince: number | null;
  /** How many attempts in a row took longer than `SLOW_ANSWER_MS`, and until when the receiver is left alone for it. */
  readonly slowAnswers: number;
  readonly restsUntil: number | null;
  readonly disabledAt: number | null;
  /** Why it was switched off, as a sentence for the owner. */
  readonly disabledReason: string | null;
}

export type NewWebhook = Pick<Webhook, "id" | "url" | "events" | "secret" | "createdAt"> & { readonly siteId: number };

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One event on its way to one webhook, as its owner sees it. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** When the next attempt is due; null unless pending. */
  readonly nextAttemptAt: number | null;
  readonly attemptedAt: number | null;
  /** Status of the receiver's last response; null where no answer came. */
  readonly statusCode: number | null;
  /** Why the last attempt failed; null where it did not. */
  readonly error: string | null;
  /** Milliseconds that the last attempt took. */
  readonly duration: number | null;
}

/** What happened. Its id is the `webhook-id` of every delivery, so that a receiver knows a repeated one. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: number;
  readonly data: EventData;
}

export type EventData = Readonly<Record<string, string | number | boolean | null | readonly number[]>>;

/** Webhooks of one site: more would be a way to have many requests made for one. */
export const MAX_WEBHOOKS = 20;

/**
 * Deliveries that wait for one webhook. Its receiver was away for long, or never keeps up: more than it will work off in
 * time, and without an end they would fill the disk.
 */
export const MAX_WAITING = 1000;

export const MAX_URL = 2000;
