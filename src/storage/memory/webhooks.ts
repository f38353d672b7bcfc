import { deletedMeanwhile } from "../../domain/errors.ts";
import { siteChanged, siteHappened } from "../../domain/events/changes.ts";
import type { Happened, OperatorEvent } from "../../domain/model/events.ts";
import {
  type Attempt,
  type Delivery,
  MAX_WAITING,
  type NewWebhook,
  OPERATOR_WEBHOOK,
  SWITCHED_ON,
  TOO_MANY_WAITING,
  type Verdict,
  type Webhook,
  type WebhookEvent,
} from "../../domain/model/webhook.ts";
import type { DeliveryLease, DueDelivery, WebhookStore } from "../../domain/ports/store/webhooks.ts";
import { attemptChanges, GIVEN_UP } from "../../domain/webhooks/schedule.ts";
import { by, type DeliveryRow, type Memory, type WebhookRow } from "./tables.ts";

export function webhookStore(memory: Memory): WebhookStore {
  const { webhooks, deliveries } = memory;
  return {
    add: (webhook, most) => addWebhook(memory, webhook, most),
    listOfSite: async (siteId) => webhooks.filter({ siteId }).sort(byAge).map(webhookOf),
    async find(siteId, id) {
      const webhook = webhooks.find({ siteId, id });
      return webhook ? webhookOf(webhook) : null;
    },
    async change(id, { url, events }) {
      webhooks.update({ id }, { ...(url !== undefined && { url }), ...(events !== undefined && { events }) });
      announceChange(memory, id);
    },
    async disable(id, at, reason) {
      disableWebhook(memory, id, at, reason);
      announceChange(memory, id);
    },
    async enable(id) {
      webhooks.update({ id }, SWITCHED_ON);
      announceChange(memory, id);
    },
    async rotate(id, secret, previousSecretUntil) {
      webhooks.update({ id }, (webhook) => ({ secret, previousSecret: webhook.secret, previousSecretUntil }));
      announceChange(memory, id);
    },
    async delete(siteId, id) {
      if (webhooks.remove({ siteId, id }).length === 0) return false;
      deliveries.remove({ webhookId: id });
      memory.announce(siteChanged(siteId));
      return true;
    },
    keepOperators: (wanted, createdAt) => keepOperators(memory, wanted, createdAt),
    findOperators: async () => webhooks.filter({ id: OPERATOR_WEBHOOK }).map(webhookOf)[0] ?? null,
    async notify(id, happened, at) {
      if (!webhooks.find({ id })) throw deletedMeanwhile("webhook");
      endRest(memory, id);
      return deliveryOf(addDelivery(memory, id, newEvent(happened, at), null));
    },
    listDeliveries: (webhookId, page) => listDeliveries(memory, webhookId, page),
    async findDelivery(webhookId, id) {
      const delivery = deliveries.find({ webhookId, id });
      return delivery ? deliveryOf(delivery) : null;
    },
    async retry(webhookId, id, at) {
      endRest(memory, webhookId);
      const [delivery] = deliveries.update({ webhookId, id }, { status: "pending", nextAttemptAt: at });
      return delivery ? deliveryOf(delivery) : null;
    },
    takeDue: (turn) => takeDue(memory, turn),
    async release(id, takenUntil) {
      deliveries.update({ id, takenUntil }, { takenUntil: null });
    },
    record: (id, attempt, verdict, takenUntil) => recordAttempt(memory, id, attempt, verdict, takenUntil),
    deleteBefore: (at) => forgetBefore(memory, at),
  };
}

/** Adds an event for the operator's webhook, if there is one. */
export function noteForOperator(memory: Memory, at: number, happened: OperatorEvent): void {
  const webhook = memory.webhooks.find({ id: OPERATOR_WEBHOOK });
  if (webhook?.disabledAt === null) deliverTo(memory, OPERATOR_WEBHOOK, newEvent(happened, at));
}

/** Adds events of a site for event streams and for its webhooks, as a part of the change. */
export function noteEvents(
  memory: Memory,
  siteId: number | null,
  at: number,
  eventsOf: (siteName: string) => readonly Happened[],
): void {
  const site = memory.sites.find((row) => row.id === siteId);
  const listening = memory.webhooks.filter((webhook) => webhook.siteId === siteId && webhook.disabledAt === null);
  if (!site) return;
  for (const happened of eventsOf(site.name)) {
    memory.announce(siteHappened(site.id, happened));
    if (listening.length === 0) continue;
    const event = newEvent(happened, at);
    for (const { id, events } of listening) {
      if (events !== null && !events.includes(happened.type)) continue;
      deliverTo(memory, id, event);
    }
  }
}

// --- internal ---

async function addWebhook(memory: Memory, webhook: NewWebhook, most: number): Promise<boolean> {
  const { webhooks, sites } = memory;
  const { siteId } = webhook;
  if (webhooks.filter({ siteId }).length >= most) return false;
  const site = sites.find({ id: siteId });
  if (!site) throw deletedMeanwhile("site");
  webhooks.add({ ...webhook, ...SWITCHED_ON, previousSecret: null, previousSecretUntil: null, ownerId: site.ownerId });
  memory.announce(siteChanged(siteId));
  return true;
}

async function keepOperators(
  { webhooks, deliveries }: Memory,
  wanted: Pick<Webhook, "url" | "secret"> | null,
  createdAt: number,
): Promise<void> {
  webhooks.remove({ id: OPERATOR_WEBHOOK });
  if (wanted === null) {
    deliveries.remove({ webhookId: OPERATOR_WEBHOOK });
    return;
  }
  const ownerless = { siteId: null, ownerId: null, events: null, previousSecret: null, previousSecretUntil: null };
  webhooks.add({ id: OPERATOR_WEBHOOK, ...wanted, ...ownerless, ...SWITCHED_ON, createdAt });
}

async function takeDue(memory: Memory, turn: DeliveryLease): Promise<readonly DueDelivery[]> {
  const { deliveries, webhooks } = memory;
  return dueNow(memory, turn).map(({ id }) => {
    const { attempts, event, webhookId } = deliveries.update({ id }, { takenUntil: turn.until })[0]!;
    const webhook = webhookOf(webhooks.find({ id: webhookId })!);
    return { id, attempts, event, webhook, takenUntil: turn.until };
  });
}

async function recordAttempt(
  memory: Memory,
  id: number,
  attempt: Attempt,
  verdict: Verdict,
  takenUntil?: number,
): Promise<boolean> {
  const { deliveries, webhooks } = memory;
  const delivery = deliveries.find(takenUntil === undefined ? { id } : { id, takenUntil });
  const webhook = delivery && webhooks.find({ id: delivery.webhookId });
  if (!webhook) return false;
  const { attempts } = delivery;
  const changes = attemptChanges({ attempts, disabledAt: webhook.disabledAt }, attempt, verdict);
  deliveries.update({ id }, { ...changes.delivery, takenUntil: null });
  webhooks.update({ id: webhook.id }, changes.webhook);
  if (verdict.disabledReason !== null) disableWebhook(memory, webhook.id, attempt.at, verdict.disabledReason);
  return true;
}

async function forgetBefore({ deliveries, webhooks }: Memory, at: number): Promise<number> {
  const gone = deliveries.remove(({ status, event }) => status !== "pending" && event.at < at);
  const isDone = ({ id, siteId }: Webhook) =>
    siteId === null && id !== OPERATOR_WEBHOOK && !deliveries.find({ webhookId: id, status: "pending" });
  const forgotten = new Set(webhooks.remove(isDone).map(({ id }) => id));
  deliveries.remove(({ webhookId }) => forgotten.has(webhookId));
  return gone.length;
}

async function listDeliveries(
  { deliveries }: Memory,
  webhookId: string,
  { limit, before }: { readonly limit: number; readonly before: number | null },
): Promise<readonly Delivery[]> {
  const earlier = deliveries.filter({ webhookId }).filter(({ id }) => before === null || id < before);
  return earlier
    .sort(by(({ id }) => -id))
    .slice(0, limit)
    .map(deliveryOf);
}

/** Tells the streams of those who see a webhook's site of its change. */
function announceChange(memory: Memory, id: string): void {
  const siteId = memory.webhooks.find({ id })?.siteId ?? null;
  if (siteId !== null) memory.announce(siteChanged(siteId));
}

function endRest({ webhooks }: Memory, id: string): void {
  webhooks.update({ id }, { restsUntil: null });
}

const byAge = by<Webhook>(
  ({ createdAt }) => createdAt,
  ({ id }) => id,
);

function webhookOf({ ownerId: _, ...webhook }: WebhookRow): Webhook {
  return webhook;
}

function deliveryOf({ takenUntil: _, ...delivery }: DeliveryRow): Delivery {
  return delivery;
}

function newEvent({ type, data }: Happened | OperatorEvent, at: number): WebhookEvent {
  return { id: `msg_${crypto.randomUUID().replaceAll("-", "")}`, type, at, data };
}

function deliverTo(memory: Memory, id: string, event: WebhookEvent): void {
  const waiting = memory.deliveries.filter({ webhookId: id, status: "pending" }).length;
  addDelivery(memory, id, event, waiting < MAX_WAITING ? null : TOO_MANY_WAITING);
}

/** Adds a delivery that is due at once, or has already failed with the error. */
function addDelivery(
  { deliveries }: Memory,
  webhookId: string,
  event: WebhookEvent,
  error: string | null,
): DeliveryRow {
  const planned =
    error === null
      ? ({ status: "pending", nextAttemptAt: event.at } as const)
      : ({ status: "failed", nextAttemptAt: null } as const);
  const untried = { attempts: 0, takenUntil: null, attemptedAt: null, statusCode: null, duration: null };
  return deliveries.insert({ webhookId, event, ...planned, ...untried, error });
}

function disableWebhook({ webhooks, deliveries }: Memory, id: string, at: number, reason: string): void {
  webhooks.update({ id }, { disabledAt: at, disabledReason: reason });
  const givenUp = { status: "failed", nextAttemptAt: null, error: GIVEN_UP } as const;
  deliveries.update({ webhookId: id, status: "pending" }, givenUp);
}

/** A delivery that can be taken or is in progress, with the fields that decide the order. */
interface Candidate {
  readonly id: number;
  readonly at: number;
  readonly owner: number;
  readonly fails: boolean;
  /** Its rank among its owner's deliveries. */
  readonly place: number;
}

const inOrder = by<Candidate>(
  ({ fails }) => Number(fails),
  ({ place }) => place,
  ({ at }) => at,
  ({ id }) => id,
);

function dueNow(memory: Memory, turn: DeliveryLease): readonly Candidate[] {
  const { now, until, limit, maxOfOwner, maxFailing } = turn;
  const latest = until + (until - now);
  const underWay = memory.deliveries.filter(
    ({ takenUntil }) => takenUntil !== null && takenUntil > now && takenUntil <= latest,
  );
  const waiting = Map.groupBy(memory.deliveries.filter({ status: "pending" }), ({ webhookId }) => webhookId);
  const taken = underWay.map((delivery) => candidateOf(memory, delivery));
  const busy = new Set(underWay.map(({ webhookId }) => webhookId));
  const free = memory.webhooks.filter((webhook) => !busy.has(webhook.id) && !isResting(webhook, turn));
  const candidates = free
    .flatMap(({ id }) => firstDue(waiting.get(id) ?? [], turn))
    .map((delivery) => candidateOf(memory, delivery));
  const places = new Map<number, number>();
  for (const { owner } of taken) places.set(owner, (places.get(owner) ?? 0) + 1);
  const placed = candidates.sort(inOrder).map((candidate) => {
    const place = (places.get(candidate.owner) ?? 0) + 1;
    places.set(candidate.owner, place);
    return { ...candidate, place };
  });
  const chosen = placed.filter(({ place }) => place <= maxOfOwner).sort(inOrder);
  const room = maxFailing - taken.filter(({ fails }) => fails).length;
  const failing = chosen.filter(({ fails }) => fails).slice(0, Math.max(room, 0));
  return [...chosen.filter(({ fails }) => !fails), ...failing].slice(0, limit);
}

function candidateOf({ webhooks, sites }: Memory, { id, webhookId, nextAttemptAt }: DeliveryRow): Candidate {
  const { siteId, ownerId, failingSince, slowResponses } = webhooks.find({ id: webhookId })!;
  const owner = sites.find((site) => site.id === siteId)?.ownerId ?? ownerId ?? 0;
  return { id, at: nextAttemptAt ?? 0, owner, fails: failingSince !== null || slowResponses > 0, place: 0 };
}

/** A pause beyond the horizon comes from a clock that was wrong. */
function isResting({ restsUntil }: Webhook, { now, restHorizon }: DeliveryLease): boolean {
  return restsUntil !== null && restsUntil > now && restsUntil <= restHorizon;
}

function firstDue(pending: DeliveryRow[], { now, horizon }: DeliveryLease): DeliveryRow[] {
  const at = ({ nextAttemptAt }: DeliveryRow) => nextAttemptAt ?? 0;
  const waiting = pending.sort(by(at, ({ id }) => id));
  const first = waiting.find((delivery) => at(delivery) <= now) ?? waiting.find((delivery) => at(delivery) > horizon);
  return first ? [first] : [];
}
