import { DomainError, fieldError, hasMaximum } from "../errors.ts";
import { type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import { requireChangeableSite, requireSession, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { EVENT_TYPES, type EventType, pinged } from "../model/events.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import type { Page } from "../model/page.ts";
import { type OfSite, ofSite } from "../model/site.ts";
import { type Delivery, MAX_URL, MAX_WEBHOOKS, SWITCHED_ON, type Webhook } from "../model/webhook.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import type { WebhookSender } from "../ports/webhooks.ts";
import { newWebhookSecret, ROTATION_TIME } from "./signature.ts";

/** Dependencies of the use cases for webhooks. */
export interface WebhookPorts {
  readonly store: Pick<Store, "sites" | "webhooks" | "rateLimits">;
  readonly sender: Pick<WebhookSender, "refusal">;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly rates: Pick<Rates, "webhook">;
}

interface WebhookRef {
  readonly siteName: string;
  readonly webhookId: string;
}

interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | null | undefined;
  readonly enabled?: boolean | undefined;
}

/** The reason if the owner disabled a webhook. */
const SWITCHED_OFF = "disabled by its owner";

/** Returns a site's webhooks, oldest first. Throws `not_found` and `forbidden`. */
export async function listWebhooks(
  { store }: WebhookPorts,
  caller: Caller,
  siteName: string,
): Promise<readonly OfSite<Webhook>[]> {
  const site = await requireSite(store, caller, siteName, "manage_webhooks");
  const webhooks = await store.webhooks.listOfSite(site.id);
  return webhooks.map((webhook) => ofSite(site, webhook));
}

/**
 * Adds a webhook and returns its secret, which is not shown again. Throws `validation` for an unusable URL,
 * `conflict` if the site has the maximum number, `not_found` and `forbidden`.
 */
export async function createWebhook(
  ports: WebhookPorts,
  caller: Caller,
  request: { readonly siteName: string; readonly url: string; readonly events: readonly string[] | null },
): Promise<OfSite<Webhook>> {
  const { store, secrets, clock } = ports;
  const url = deliverable(ports, request.url);
  const events = knownEvents(request.events);
  const site = await requireChangeableSite(store, caller, request.siteName, "manage_webhooks");
  const id = secrets.random(10).toHex();
  const secret = newWebhookSecret(secrets);
  const webhook = { id, siteId: site.id, url, events, secret, createdAt: clock.now() };
  if (!(await store.webhooks.add(webhook, MAX_WEBHOOKS))) throw hasMaximum(site.name, MAX_WEBHOOKS, "webhooks");
  return ofSite(site, { ...webhook, ...SWITCHED_ON, previousSecret: null, previousSecretUntil: null });
}

/** Returns a webhook of the caller's site. Throws `not_found` and `forbidden`. */
export async function requireOwnWebhook(
  ports: WebhookPorts,
  caller: Caller,
  ref: WebhookRef,
): Promise<OfSite<Webhook>> {
  const site = await requireSite(ports.store, caller, ref.siteName, "manage_webhooks");
  return requireWebhook(ports, site, ref.webhookId);
}

/** Like `requireOwnWebhook`, for a change: throws `forbidden` also for a frozen site. */
async function requireChangeableWebhook(
  ports: WebhookPorts,
  caller: Caller,
  ref: WebhookRef,
): Promise<OfSite<Webhook>> {
  const site = await requireSite(ports.store, caller, ref.siteName, "manage_webhooks");
  const webhook = await requireWebhook(ports, site, ref.webhookId);
  requireUnfrozenSite(site);
  return webhook;
}

/**
 * Changes the given fields: URL, event types, enabled. Enabling resets the failures. Throws
 * `validation`, `not_found` and `forbidden`.
 */
export async function changeWebhook(
  ports: WebhookPorts,
  caller: Caller,
  ref: WebhookRef,
  change: WebhookChange,
): Promise<OfSite<Webhook>> {
  const { store, clock } = ports;
  const url = change.url === undefined ? undefined : deliverable(ports, change.url);
  const events = change.events === undefined ? undefined : knownEvents(change.events);
  const webhook = await requireChangeableWebhook(ports, caller, ref);
  // Absent fields are not written, because a concurrent change may set them.
  if (url !== undefined || events !== undefined) await store.webhooks.change(webhook.id, { url, events });
  const changed = { ...webhook, ...(url !== undefined && { url }), ...(events !== undefined && { events }) };
  const isEnabled = webhook.disabledAt === null;
  if (change.enabled === true && !isEnabled) {
    await store.webhooks.enable(webhook.id);
    return { ...changed, ...SWITCHED_ON };
  }
  if (change.enabled === false && isEnabled) {
    const now = clock.now();
    await store.webhooks.disable(webhook.id, now, SWITCHED_OFF);
    return { ...changed, disabledAt: now, disabledReason: SWITCHED_OFF };
  }
  return changed;
}

/** Deletes a webhook with its deliveries. Throws `not_found` and `forbidden`. */
export async function removeWebhook({ store }: WebhookPorts, caller: Caller, ref: WebhookRef): Promise<void> {
  const site = await requireSite(store, caller, ref.siteName, "manage_webhooks");
  if (!(await store.webhooks.delete(site.id, ref.webhookId))) throw noSuchWebhook(ref);
}

/** Creates and returns a new secret; the old one also signs for a day. Throws `not_found` and `forbidden`. */
export async function rotateSecret(ports: WebhookPorts, caller: Caller, ref: WebhookRef): Promise<OfSite<Webhook>> {
  const webhook = await requireChangeableWebhook(ports, caller, ref);
  const until = ports.clock.now() + ROTATION_TIME;
  const secret = newWebhookSecret(ports.secrets);
  await ports.store.webhooks.rotate(webhook.id, secret, until);
  return { ...webhook, secret, previousSecret: webhook.secret, previousSecretUntil: until };
}

/** Returns a page of a webhook's deliveries, newest first. Throws `not_found` and `forbidden`. */
export async function listDeliveries(
  ports: WebhookPorts,
  caller: Caller,
  ref: WebhookRef,
  page: Page,
): Promise<readonly Delivery[]> {
  const webhook = await requireOwnWebhook(ports, caller, ref);
  return ports.store.webhooks.listDeliveries(webhook.id, page);
}

/**
 * Sends a `ping` within a second or two; the delivery has its result. Throws `conflict` for a webhook that is
 * disabled, `too_many_requests`, `not_found` and `forbidden`.
 */
export async function testWebhook(ports: WebhookPorts, caller: Caller, ref: WebhookRef): Promise<Delivery> {
  const webhook = await requireTrial(ports, caller, ref);
  return ports.store.webhooks.notify(webhook.id, pinged(webhook.siteName, webhook.id), ports.clock.now());
}

/** Makes a delivery due now, whatever its status. Throws like `testWebhook`. */
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

async function requireWebhook(
  ports: WebhookPorts,
  site: { readonly id: number; readonly name: string },
  id: string,
): Promise<OfSite<Webhook>> {
  const webhook = await ports.store.webhooks.find(site.id, id);
  if (webhook === null) throw noSuchWebhook({ siteName: site.name, webhookId: id });
  return ofSite(site, webhook);
}

function noSuchWebhook({ siteName, webhookId }: WebhookRef): DomainError {
  const shown = JSON.stringify(webhookId.slice(0, 40));
  return new DomainError("not_found", `webhook does not exist: ${siteName} has no webhook ${shown}`);
}

function knownEvents(names: readonly string[] | null): readonly EventType[] | null {
  if (names === null) return null;
  return names.map((name, index) => {
    const known = EVENT_TYPES.find((type) => type === name);
    if (known) return known;
    const shown = JSON.stringify(name.slice(0, 80));
    throw fieldError(["body", "events", index], `${shown} is not an event; the events are ${EVENT_TYPES.join(", ")}`);
  });
}

/** Returns the normalized URL. Throws `validation` for one that cannot receive deliveries. */
function deliverable({ sender }: WebhookPorts, text: string): string {
  const refuse = (why: string) => fieldError(["body", "url"], `the webhook's URL ${why}`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["https:", "http:"].includes(url.protocol)) throw refuse("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "") throw refuse("must hold no user name or password: it is shown");
  if (url.href.length > MAX_URL) throw refuse(`must be at most ${MAX_URL} characters long`);
  const refusal = sender.refusal(url);
  if (refusal !== null) throw refuse(refusal);
  url.hash = "";
  return url.href;
}

function noSuchDelivery(id: number): DomainError {
  return new DomainError("not_found", `delivery does not exist: the webhook has no delivery ${id}`);
}

async function requireTrial(ports: WebhookPorts, caller: Caller, ref: WebhookRef): Promise<OfSite<Webhook>> {
  const webhook = await requireChangeableWebhook(ports, caller, ref);
  if (webhook.disabledAt !== null) {
    throw new DomainError("conflict", `the webhook is disabled (${webhook.disabledReason}): enable it first`);
  }
  const { user } = requireSession(caller);
  await takeFromLimit(ports, "webhook", String(user.id), ports.clock.now());
  return webhook;
}
