import { and, desc, eq, gt, inArray, lt, lte, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Happened } from "../../domain/model/events.ts";
import { type Attempt, type Delivery, OPERATOR_WEBHOOK, type Verdict } from "../../domain/model/webhook.ts";
import type { DeliveryLease, DueDelivery, WebhookDeliveryStore } from "../../domain/ports/store/webhooks.ts";
import { attemptChanges, GIVEN_UP } from "../../domain/webhooks/schedule.ts";
import { columnsExcept } from "../records/columns.ts";
import { DUE_DELIVERIES, type DueParameters, dueParameters } from "../records/due-deliveries.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { webhookDeliveries as deliveries, webhookEvents as events, webhooks } from "./schema.ts";

const deliveryColumns = { ...columnsExcept(deliveries, "eventId", "takenUntil"), event: events };

/** The columns of a webhook, as in the domain. */
export const webhookColumns = columnsExcept(webhooks, "ownerId");

function selectDeliveries(db: Drizzle) {
  return db.select(deliveryColumns).from(deliveries).innerJoin(events, eq(events.id, deliveries.eventId));
}

export function webhookDeliveryStore(connection: Connection): WebhookDeliveryStore {
  const { raw, db, write, writeRelaxed } = connection;
  const due = raw.prepare<{ id: number }, DueParameters & Record<string, number>>(DUE_DELIVERIES);

  return {
    notify: (webhookId, happened, at) => notify(connection, webhookId, happened, at),
    listDeliveries: (webhookId, page) => listDeliveries(connection, webhookId, page),

    async findDelivery(webhookId, id) {
      return findDelivery(db, webhookId, id);
    },

    async retry(webhookId, id, at) {
      return write((tx) => {
        tx.update(deliveries).set({ status: "pending", nextAttemptAt: at }).where(oneOf(webhookId, id)).run();
        endRest(tx, webhookId);
        return findDelivery(tx, webhookId, id);
      });
    },

    async takeDue(turn) {
      const parameters = dueParameters(turn);
      // Searched outside the transaction, because writers would wait for it, and usually nothing is due.
      const found = due.all(parameters).map(({ id }) => id);
      if (found.length === 0) return [];
      return writeRelaxed((tx) => take(tx, stillDue(tx, found, parameters), turn));
    },

    async release(id, takenUntil) {
      const taken = and(eq(deliveries.id, id), eq(deliveries.takenUntil, takenUntil));
      await writeRelaxed((tx) => tx.update(deliveries).set({ takenUntil: null }).where(taken).run());
    },

    async record(id, attempt, verdict, takenUntil) {
      const taken = takenUntil === undefined ? undefined : eq(deliveries.takenUntil, takenUntil);
      return writeRelaxed((tx) => record(tx, and(eq(deliveries.id, id), taken), attempt, verdict));
    },

    deleteBefore: (at) => forgetBefore(connection, at),
  };
}

/** Disables a webhook and fails its pending deliveries. */
export function disableWebhook(tx: Drizzle, webhookId: string, at: number, reason: string): void {
  tx.update(webhooks).set({ disabledAt: at, disabledReason: reason }).where(eq(webhooks.id, webhookId)).run();
  const waiting = and(eq(deliveries.webhookId, webhookId), eq(deliveries.status, "pending"));
  tx.update(deliveries).set({ status: "failed", nextAttemptAt: null, error: GIVEN_UP }).where(waiting).run();
}

// --- internal ---

async function notify(
  { write }: Connection,
  webhookId: string,
  { type, data }: Happened,
  at: number,
): Promise<Delivery> {
  const added = write((tx) => {
    const id = sql`('msg_' || lower(hex(randomblob(16))))`;
    const event = tx.insert(events).values({ id, type, at, data }).returning({ id: events.id }).get();
    const row = { webhookId, eventId: event.id, nextAttemptAt: at };
    const added = tx.insert(deliveries).values(row).returning({ id: deliveries.id }).get();
    endRest(tx, webhookId);
    return findDelivery(tx, webhookId, added.id) as Delivery;
  });
  return addingTo("webhook", added);
}

async function forgetBefore({ write }: Connection, at: number): Promise<number> {
  return write((tx) => {
    const old = tx.select({ id: events.id }).from(events).where(lt(events.at, at));
    const over = and(ne(deliveries.status, "pending"), inArray(deliveries.eventId, old));
    const gone = tx.delete(deliveries).where(over).returning({ id: deliveries.id }).all();
    const pending = tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(eq(deliveries.webhookId, webhooks.id), eq(deliveries.status, "pending")));
    tx.delete(webhooks)
      .where(and(sql`${webhooks.siteId} IS NULL`, ne(webhooks.id, OPERATOR_WEBHOOK), notExists(pending)))
      .run();
    const remaining = tx.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventId, events.id));
    tx.delete(events).where(notExists(remaining)).run();
    return gone.length;
  });
}

async function listDeliveries(
  { db }: Connection,
  webhookId: string,
  { limit, before }: { readonly limit: number; readonly before: number | null },
): Promise<readonly Delivery[]> {
  const earlier = before === null ? undefined : lt(deliveries.id, before);
  const rows = selectDeliveries(db).where(and(eq(deliveries.webhookId, webhookId), earlier));
  return rows.orderBy(desc(deliveries.id)).limit(limit).all();
}

function oneOf(webhookId: string, id: number): SQL | undefined {
  return and(eq(deliveries.webhookId, webhookId), eq(deliveries.id, id));
}

function findDelivery(from: Drizzle, webhookId: string, id: number): Delivery | null {
  return selectDeliveries(from).where(oneOf(webhookId, id)).get() ?? null;
}

/** Ends a receiver's pause, because a user requested a delivery. */
function endRest(tx: Drizzle, webhookId: string): void {
  tx.update(webhooks).set({ restsUntil: null }).where(eq(webhooks.id, webhookId)).run();
}

/**
 * Returns those of the deliveries, one per webhook, that nobody has taken or recorded since they were found, in order.
 */
function stillDue(tx: Drizzle, found: readonly number[], { now, horizon, latest }: DueParameters): number[] {
  const others = alias(deliveries, "others");
  const underWay = tx
    .select({ id: others.id })
    .from(others)
    .where(and(eq(others.webhookId, deliveries.webhookId), gt(others.takenUntil, now), lte(others.takenUntil, latest)));
  const due = or(lte(deliveries.nextAttemptAt, now), gt(deliveries.nextAttemptAt, horizon));
  const rows = tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(inArray(deliveries.id, [...found]), eq(deliveries.status, "pending"), due, notExists(underWay)))
    .all();
  const still = new Set(rows.map(({ id }) => id));
  return found.filter((id) => still.has(id));
}

/** Takes the deliveries, and returns them in this order. */
function take(tx: Drizzle, ids: readonly number[], { until }: DeliveryLease): readonly DueDelivery[] {
  const meant = inArray(deliveries.id, [...ids]);
  tx.update(deliveries).set({ takenUntil: until }).where(meant).run();
  const { id, attempts } = deliveries;
  const rows = tx
    .select({ id, attempts, event: events, webhook: webhookColumns })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(meant)
    .all();
  const inOrder = rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return inOrder.map((row) => ({ ...row, takenUntil: until }));
}

/** Returns false if no delivery is selected. */
function record(tx: Drizzle, meant: SQL | undefined, attempt: Attempt, verdict: Verdict): boolean {
  const { id, attempts } = deliveries;
  const found = tx
    .select({ id, webhookId: webhooks.id, disabledAt: webhooks.disabledAt, attempts })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(meant)
    .get();
  if (!found) return false;
  const changes = attemptChanges(found, attempt, verdict);
  const delivery = { ...changes.delivery, takenUntil: null };
  tx.update(deliveries).set(delivery).where(eq(id, found.id)).run();
  tx.update(webhooks).set(changes.webhook).where(eq(webhooks.id, found.webhookId)).run();
  if (verdict.disabledReason !== null) disableWebhook(tx, found.webhookId, attempt.at, verdict.disabledReason);
  return true;
}
