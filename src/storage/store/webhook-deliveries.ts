import { and, desc, eq, inArray, lt, ne, notExists, type SQL, sql } from "drizzle-orm";
import { type Attempt, type Delivery, OPERATOR_WEBHOOK, type Verdict } from "../../domain/model/webhook.ts";
import type { DeliveryLease, DueDelivery, WebhookDeliveryStore } from "../../domain/ports/store/webhooks.ts";
import { attemptChanges, GIVEN_UP } from "../../domain/webhooks/schedule.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { findDue } from "./due-deliveries.ts";
import { addingTo } from "./failures.ts";
import { takeLock } from "./locks.ts";
import { deleteRows, first } from "./rows.ts";
import { webhookDeliveries as deliveries, webhookEvents as events, webhooks } from "./schema.ts";

const deliveryColumns = { ...columnsExcept(deliveries, "eventId", "takenUntil"), event: events };

/** The columns of a webhook, as in the domain. */
export const webhookColumns = columnsExcept(webhooks, "ownerId");

export function webhookDeliveryStore({ read, write, writeRelaxed }: Connection): WebhookDeliveryStore {
  return {
    async notify(webhookId, { type, data }, at) {
      const added = write(async (tx) => {
        const event = await first(tx.insert(events).values({ type, at, data }).returning({ id: events.id }));
        const row = { webhookId, eventId: event!.id, nextAttemptAt: at };
        const added = await first(tx.insert(deliveries).values(row).returning({ id: deliveries.id }));
        await endRest(tx, webhookId);
        return (await findDelivery(tx, webhookId, added!.id)) as Delivery;
      });
      return addingTo("webhook", added);
    },

    async listDeliveries(webhookId, { limit, before }) {
      const earlier = before === null ? undefined : lt(deliveries.id, before);
      return read((db) => {
        const rows = selectDeliveries(db).where(and(eq(deliveries.webhookId, webhookId), earlier));
        return rows.orderBy(desc(deliveries.id)).limit(limit);
      });
    },

    findDelivery: (webhookId, id) => read((db) => findDelivery(db, webhookId, id)),

    async retry(webhookId, id, at) {
      return write(async (tx) => {
        const due = { status: "pending", nextAttemptAt: at } as const;
        await tx.update(deliveries).set(due).where(oneOf(webhookId, id));
        await endRest(tx, webhookId);
        return findDelivery(tx, webhookId, id);
      });
    },

    async takeDue(turn) {
      // Usually nothing is due, and no lock is needed.
      if ((await read((db) => findDue(db, turn))).length === 0) return [];
      return writeRelaxed(async (tx) => {
        await takeLock(tx, "webhook deliveries");
        return take(tx, await findDue(tx, turn), turn);
      });
    },

    async release(id, takenUntil) {
      const taken = and(eq(deliveries.id, id), eq(deliveries.takenUntil, takenUntil));
      await writeRelaxed((tx) => tx.update(deliveries).set({ takenUntil: null }).where(taken));
    },

    async record(id, attempt, verdict, takenUntil) {
      const taken = takenUntil === undefined ? undefined : eq(deliveries.takenUntil, takenUntil);
      return writeRelaxed((tx) => record(tx, and(eq(deliveries.id, id), taken), attempt, verdict));
    },

    deleteBefore: (at) => write((tx) => deleteBefore(tx, at)),
  };
}

/** Disables a webhook and fails its pending deliveries. */
export async function disableWebhook(tx: Drizzle, webhookId: string, at: number, reason: string): Promise<void> {
  await tx.update(webhooks).set({ disabledAt: at, disabledReason: reason }).where(eq(webhooks.id, webhookId));
  const waiting = and(eq(deliveries.webhookId, webhookId), eq(deliveries.status, "pending"));
  await tx.update(deliveries).set({ status: "failed", nextAttemptAt: null, error: GIVEN_UP }).where(waiting);
}

// --- internal ---

function selectDeliveries(db: Drizzle) {
  return db.select(deliveryColumns).from(deliveries).innerJoin(events, eq(events.id, deliveries.eventId));
}

function oneOf(webhookId: string, id: number): SQL | undefined {
  return and(eq(deliveries.webhookId, webhookId), eq(deliveries.id, id));
}

function findDelivery(from: Drizzle, webhookId: string, id: number): Promise<Delivery | null> {
  return first(selectDeliveries(from).where(oneOf(webhookId, id)));
}

/** Ends a receiver's pause, because a user requested a delivery. */
async function endRest(tx: Drizzle, webhookId: string): Promise<void> {
  await tx.update(webhooks).set({ restsUntil: null }).where(eq(webhooks.id, webhookId));
}

/** Takes the deliveries, and returns them in this order. */
async function take(tx: Drizzle, ids: readonly number[], { until }: DeliveryLease): Promise<readonly DueDelivery[]> {
  const meant = inArray(deliveries.id, [...ids]);
  await tx.update(deliveries).set({ takenUntil: until }).where(meant);
  const { id, attempts } = deliveries;
  const rows = await tx
    .select({ id, attempts, event: events, webhook: webhookColumns })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(meant);
  const inOrder = rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return inOrder.map((row) => ({ ...row, takenUntil: until }));
}

/** Returns false if no delivery is selected. */
async function record(tx: Drizzle, meant: SQL | undefined, attempt: Attempt, verdict: Verdict): Promise<boolean> {
  const { id, webhookId, attempts } = deliveries;
  const found = await first(tx.select({ id, webhookId, attempts }).from(deliveries).where(meant).for("update"));
  if (!found) return false;
  const own = eq(webhooks.id, found.webhookId);
  const webhook = await first(tx.select({ disabledAt: webhooks.disabledAt }).from(webhooks).where(own).for("update"));
  const changes = attemptChanges({ ...found, ...webhook! }, attempt, verdict);
  const delivery = { ...changes.delivery, takenUntil: null };
  await tx.update(deliveries).set(delivery).where(eq(id, found.id));
  await tx.update(webhooks).set(changes.webhook).where(own);
  if (verdict.disabledReason !== null) await disableWebhook(tx, found.webhookId, attempt.at, verdict.disabledReason);
  return true;
}

async function deleteBefore(tx: Drizzle, at: number): Promise<number> {
  const old = tx.select({ id: events.id }).from(events).where(lt(events.at, at));
  const over = and(ne(deliveries.status, "pending"), inArray(deliveries.eventId, old));
  const gone = await deleteRows(tx, deliveries, over);
  const pending = tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhooks.id), eq(deliveries.status, "pending")));
  const isSilent = and(sql`${webhooks.siteId} IS NULL`, ne(webhooks.id, OPERATOR_WEBHOOK), notExists(pending));
  await tx.delete(webhooks).where(isSilent);
  const remaining = tx.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventId, events.id));
  await tx.delete(events).where(notExists(remaining));
  return gone;
}
