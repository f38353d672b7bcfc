import type { EventType, Happened } from "../../webhooks/events.ts";
import type { Attempt, Verdict } from "../../webhooks/schedule.ts";
import type { Delivery, NewWebhook, Webhook } from "../../webhooks/webhook.ts";

/** A delivery whose attempt is due, with all that the attempt needs. */
export type DueDelivery = Pick<Delivery, "id" | "attempts" | "event"> & {
  readonly webhook: Webhook;
  /** The end of its turn, by which the turn is named: a later one of the same delivery ends later. */
  readonly takenUntil: number;
};

/** What may be taken at a moment. */
export interface DeliveryTurn {
  readonly now: number;
  readonly horizon: number;
  readonly restHorizon: number;
  readonly until: number;
  readonly limit: number;
  readonly maxOfOwner: number;
  readonly maxFailing: number;
}

/**
 * Webhooks and what they are to be told. The methods of other stores that change a site note the event, with a delivery
 * for each webhook that wants it, in the same transaction as the change: `domain/webhooks/events.ts` says what a change
 * means. So no crash loses an event, and none is told of a change that was undone. Where `MAX_WAITING` deliveries wait
 * for a webhook, a further one has failed from the first.
 */
export interface WebhookStore {
  /**
   * Adds a webhook; false, and nothing added, where its site has `most` already. Throws `not_found` where the site has
   * been deleted meanwhile.
   */
  add(webhook: NewWebhook, most: number): Promise<boolean>;

  /** The webhooks of a site, oldest first. */
  listOfSite(siteId: number): Promise<readonly Webhook[]>;

  /** Returns a webhook of that site, or null. */
  find(siteId: number, id: string): Promise<Webhook | null>;

  /** Changes address, filter or both, and keeps what is undefined; unknown is no error. */
  change(
    id: string,
    to: { readonly url?: string | undefined; readonly events?: readonly EventType[] | null | undefined },
  ): Promise<void>;

  /** Switches a webhook off and gives up what it was still to be told. */
  disable(id: string, at: number, reason: string): Promise<void>;
  /** Switches it on again, with a clean record. What was given up stays so. */
  enable(id: string): Promise<void>;

  /** Puts a new secret in the place of the old one, which stays good until `previousUntil`. */
  rotate(id: string, secret: string, previousUntil: number): Promise<void>;

  /** Adds the operator's webhook or changes it, switched on; null removes it with its deliveries. */
  keepOperators(wanted: Pick<Webhook, "url" | "secret"> | null, at: number): Promise<void>;

  /** Returns the operator's webhook, or null. */
  findOperators(): Promise<Webhook | null>;

  /** Forgets a webhook with its deliveries; false where the site has no such webhook. */
  remove(siteId: number, id: string): Promise<boolean>;

  /**
   * Notes an event for this webhook alone, whatever it wants to hear, due at once, also while the receiver rests. Throws `not_found` where the webhook
   * has been removed meanwhile.
   */
  notify(id: string, happened: Happened, at: number): Promise<Delivery>;

  /** Newest first; `before` is an id and excluded. */
  listDeliveries(
    webhookId: string,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly Delivery[]>;

  /** Returns a delivery of that webhook, or null. */
  findDelivery(webhookId: string, deliveryId: number): Promise<Delivery | null>;

  /** Makes a delivery due at `at`, whatever came of it before, also while the receiver rests; null where the webhook has no such delivery. */
  retry(webhookId: string, deliveryId: number, at: number): Promise<Delivery | null>;

  /**
   * Takes deliveries whose attempt is due: planned before `now`, or after `horizon`. One for each webhook that has none
   * under way and does not rest; a rest beyond `restHorizon` was noted by a clock that was wrong. No more than
   * `maxOfOwner` of one owner's webhooks and `maxFailing` of those that fail or are slow are under way then. Those first
   * that do not fail, then of the owner with the fewest under way, then the longest overdue. Each is taken until it is
   * recorded, given back, or `until`.
   */
  takeDue(turn: DeliveryTurn): Promise<readonly DueDelivery[]>;

  /** Gives a taken delivery back as it was; nothing is changed where that turn is over. */
  giveBack(deliveryId: number, takenUntil: number): Promise<void>;

  /**
   * Notes an attempt and what becomes of delivery and webhook (`settle`). False, and nothing noted, where the delivery is
   * gone, or where the turn that is named is over: it was taken anew or recorded since. A webhook that is off stays so.
   */
  record(deliveryId: number, attempt: Attempt, verdict: Verdict, takenUntil?: number): Promise<boolean>;

  /**
   * Forgets deliveries of events before `at` that have come to an end, webhooks of deleted sites that have nothing left
   * to tell, and events that nobody is told any more. Returns how many deliveries.
   */
  forgetBefore(at: number): Promise<number>;
}
