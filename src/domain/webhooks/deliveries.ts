import type { Caller } from "../accounts/caller.ts";
import { DomainError } from "../errors.ts";
import { RATE_LIMITS, takeFromLimit } from "../rate-limit.ts";
import { requireSession } from "../sites/ownership.ts";
import { pinged } from "./events.ts";
import { requireChangeableWebhook, requireOwnWebhook, type WebhookPorts, type WebhookRef } from "./manage.ts";
import type { Delivery, Webhook } from "./webhook.ts";

/** Returns a page of a webhook's deliveries, newest first. Throws `not_found` and `forbidden`. */
export async function listDeliveries(
  ports: WebhookPorts,
  caller: Caller,
  ref: WebhookRef,
  page: { readonly limit: number; readonly before: number | null },
): Promise<readonly Delivery[]> {
  const webhook = await requireOwnWebhook(ports, caller, ref);
  return ports.store.webhooks.listDeliveries(webhook.id, page);
}

/**
 * Sends a `ping` within a second or two; the delivery tells what came of it. Throws `conflict` for a webhook that is
 * off, `too_many_requests`, `not_found` and `forbidden`.
 */
export async function testWebhook(ports: WebhookPorts, caller: Caller, ref: WebhookRef): Promise<Delivery> {
  const webhook = await requireTrial(ports, caller, ref);
  return ports.store.webhooks.notify(webhook.id, pinged(ref.siteName, webhook.id), ports.clock.now());
}

/** Makes a delivery due now, whatever came of it before. Throws as `testWebhook` does. */
export async function retryDelivery(
  ports: WebhookPorts,
  caller: Caller,
  ref: WebhookRef,
  deliveryId: number,
): Promise<Delivery> {
  const { webhooks } = ports.store;
  const { id } = await requireOwnWebhook(ports, caller, ref);
  if ((await webhooks.findDelivery(id, deliveryId)) === null) throw noSuchDelivery(deliveryId);
  await requireTrial(ports, caller, ref);
  const delivery = await webhooks.retry(id, deliveryId, ports.clock.now());
  if (delivery !== null) return delivery;
  throw noSuchDelivery(deliveryId);
}

// --- internal ---

function noSuchDelivery(id: number): DomainError {
  return new DomainError("not_found", `delivery does not exist: the webhook has no delivery ${id}`);
}

async function requireTrial(ports: WebhookPorts, caller: Caller, ref: WebhookRef): Promise<Webhook> {
  const webhook = await requireChangeableWebhook(ports, caller, ref);
  if (webhook.disabledAt !== null) {
    throw new DomainError("conflict", `the webhook is disabled (${webhook.disabledReason}): enable it first`);
  }
  const { user } = requireSession(caller);
  const { store, rates, clock } = ports;
  await takeFromLimit(store.rateLimits, RATE_LIMITS.webhook, rates.webhook, String(user.id), clock.now());
  return webhook;
}
