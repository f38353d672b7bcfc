import type { EventType, Happened } from "../../model/events.ts";
import type { Page } from "../../model/page.ts";
import type { Attempt, Delivery, NewWebhook, Verdict, Webhook } from "../../model/webhook.ts";

/** A due delivery with everything that the attempt needs. */
export type DueDelivery = Pick<Delivery, "id" | "attempts" | "event"> & {
  readonly webhook: Webhook;
  /** The end of its lease, which also identifies the lease, because a later one of the same delivery ends later. */
  readonly takenUntil: number;
};

/** The conditions for taking deliveries. */
export interface DeliveryLease {
  readonly now: number;
  readonly horizon: number;
  readonly restHorizon: number;
  readonly until: number;
  readonly limit: number;
  readonly maxOfOwner: number;
  readonly maxFailing: number;
}

/**
 * Webhooks. Methods of other stores that change a site add the event, and a delivery for each
 * subscribed webhook, in the transaction of the change; `model/events.ts` defines the events. So no crash loses an
 * event, and none is sent for a change that was rolled back. If `MAX_WAITING` deliveries of a webhook are pending, a
 * further one fails at once.
 */
export interface WebhookStore extends WebhookDeliveryStore {
  /**
   * Adds a webhook. Returns false if its site has `most` already. Throws `not_found` if the site was deleted meanwhile.
   */
  add(webhook: NewWebhook, most: number): Promise<boolean>;

  /** Returns the webhooks of a site, oldest first. */
  listOfSite(siteId: number): Promise<readonly Webhook[]>;

  /** Returns a webhook of that site, or null. */
  find(siteId: number, id: string): Promise<Webhook | null>;

  /** Changes URL, filter or both; undefined fields stay. Does nothing for an unknown webhook. */
  change(
    id: string,
    to: { readonly url?: string | undefined; readonly events?: readonly EventType[] | null | undefined },
  ): Promise<void>;

  /** Disables a webhook and fails its pending deliveries. */
  disable(id: string, at: number, reason: string): Promise<void>;
  /** Enables it again, without earlier failures. Failed deliveries stay failed. */
  enable(id: string): Promise<void>;

  /** Replaces the secret. The old one stays valid until `previousUntil`. */
  rotate(id: string, secret: string, previousUntil: number): Promise<void>;

  /** Adds or changes the operator's webhook and enables it; null removes it with its deliveries. */
  keepOperators(wanted: Pick<Webhook, "url" | "secret"> | null, at: number): Promise<void>;

  /** Returns the operator's webhook, or null. */
  findOperators(): Promise<Webhook | null>;

  /** Deletes a webhook with its deliveries; false if the site has no such webhook. */
  delete(siteId: number, id: string): Promise<boolean>;
}

/** The deliveries of webhooks. */
export interface WebhookDeliveryStore {
  /**
   * Adds an event for this webhook only, regardless of its filter, due at once even while its receiver is paused.
   * Throws `not_found` if the webhook was removed meanwhile.
   */
  notify(id: string, happened: Happened, at: number): Promise<Delivery>;

  /** Newest first; `before` is an exclusive id. */
  listDeliveries(webhookId: string, page: Page): Promise<readonly Delivery[]>;

  /** Returns a delivery of that webhook, or null. */
  findDelivery(webhookId: string, deliveryId: number): Promise<Delivery | null>;

  /**
   * Makes a delivery due at `at`, whatever its status, even while its receiver is paused; null if the webhook has no
   * such delivery.
   */
  retry(webhookId: string, deliveryId: number, at: number): Promise<Delivery | null>;

  /**
   * Takes due deliveries: planned before `now`, or after `horizon`. At most one for each webhook that has none in
   * progress and is not paused; a pause beyond `restHorizon` comes from a wrong clock. At most `maxOfOwner` of one
   * owner's webhooks, and `maxFailing` of failing or slow webhooks, are then in progress. Working webhooks come first,
   * then those of the owner with the fewest in progress, then the most overdue. Each is leased until it is recorded,
   * released, or `until`.
   */
  takeDue(lease: DeliveryLease): Promise<readonly DueDelivery[]>;

  /** Releases a delivery unchanged. Does nothing if that lease has ended. */
  release(deliveryId: number, takenUntil: number): Promise<void>;

  /**
   * Records an attempt and the new state of delivery and webhook (`attemptChanges`). Returns false without changes if the
   * delivery was deleted, or if the lease has ended because it was taken over or recorded since. A disabled webhook
   * stays disabled.
   */
  record(deliveryId: number, attempt: Attempt, verdict: Verdict, takenUntil?: number): Promise<boolean>;

  /**
   * Deletes finished deliveries of events before `at`, webhooks of deleted sites without pending deliveries, and events
   * without deliveries. Returns the number of deliveries.
   */
  deleteBefore(at: number): Promise<number>;
}
