import { and, desc, eq, getTableColumns, gt, inArray, lt, lte, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Happened } from "../../domain/model/events.ts";
import { type Attempt, type Delivery, OPERATOR_WEBHOOK, type Verdict } from "../../domain/model/webhook.ts";
import type { DeliveryTurn, WebhookStore } from "../../domain/ports/store/webhooks.ts";
import { GIVEN_UP, settle } from "../../domain/webhooks/schedule.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { webhookDeliveries as deliveries, webhookEvents as events, webhooks } from "./schema.ts";

type Methods =
  | "notify"
  | "listDeliveries"
  | "findDelivery"
  | "retry"
  | "takeDue"
  | "giveBack"
  | "record"
  | "forgetBefore";

const deliveryColumns = {
  id: deliveries.id,
  webhookId: deliveries.webhookId,
  event: events,
  status: deliveries.status,
  attempts: deliveries.attempts,
  nextAttemptAt: deliveries.nextAttemptAt,
  attemptedAt: deliveries.attemptedAt,
  statusCode: deliveries.statusCode,
  error: deliveries.error,
  duration: deliveries.duration,
};

function selectDeliveries(db: Drizzle) {
  return db.select(deliveryColumns).from(deliveries).innerJoin(events, eq(events.id, deliveries.eventId));
}

/**
 * Plain SQL, because the query builder does not support recursion. `waiting` steps from one webhook with deliveries to
 * the next by the index, and `candidate` reads the first delivery of each, so the number of waiting ones does not
 * matter. `placed` counts the slots of each owner, `chosen` those of all failing webhooks.
 */
const DUE = `
  WITH RECURSIVE waiting (id) AS (
    SELECT min(webhook_id) FROM webhook_deliveries WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(webhook_id) FROM webhook_deliveries WHERE status = 'pending' AND webhook_id > waiting.id)
      FROM waiting WHERE id IS NOT NULL),
  receiver (id, owner, fails, rests_until) AS (
    SELECT w.id, coalesce(s.owner_id, w.owner_id, 0), w.failing_since IS NOT NULL OR w.slow_answers > 0, w.rests_until
      FROM webhooks AS w LEFT JOIN sites AS s ON s.id = w.site_id),
  taken (webhook_id, owner, fails) AS MATERIALIZED (
    SELECT r.id, r.owner, r.fails FROM webhook_deliveries AS d JOIN receiver AS r ON r.id = d.webhook_id
      WHERE d.taken_until IS NOT NULL AND d.taken_until > $now AND d.taken_until <= $latest),
  candidate (id, at, owner, fails) AS (
    SELECT d.id, d.next_attempt_at, r.owner, r.fails
      FROM waiting JOIN receiver AS r ON r.id = waiting.id JOIN webhook_deliveries AS d ON d.id = coalesce(
        (SELECT id FROM webhook_deliveries WHERE webhook_id = r.id AND status = 'pending' AND next_attempt_at <= $now
          ORDER BY next_attempt_at, id LIMIT 1),
        (SELECT id FROM webhook_deliveries WHERE webhook_id = r.id AND status = 'pending' AND next_attempt_at > $horizon
          ORDER BY next_attempt_at, id LIMIT 1))
      WHERE r.id NOT IN (SELECT webhook_id FROM taken)
        AND NOT coalesce(r.rests_until > $now AND r.rests_until <= $restHorizon, 0)),
  placed AS (
    SELECT *, (SELECT count(*) FROM taken WHERE taken.owner = candidate.owner)
        + row_number() OVER (PARTITION BY owner ORDER BY fails, at, id) AS place
      FROM candidate),
  chosen AS (
    SELECT *, (SELECT count(*) FROM taken WHERE taken.fails)
        + row_number() OVER (PARTITION BY fails ORDER BY place, at, id) AS failing_place
      FROM placed WHERE place <= $maxOfOwner)
  SELECT id FROM chosen WHERE NOT fails OR failing_place <= $maxFailing
    ORDER BY fails, place, at, id LIMIT $limit`;

type DueParameters = Omit<DeliveryTurn, "until"> & { readonly latest: number };

/** The part of the store with the deliveries of webhooks. */
export function webhookDeliveryStore(connection: Connection): Pick<WebhookStore, Methods> {
  const { raw, db, write, writeRelaxed } = connection;
  const due = raw.prepare<{ id: number }, DueParameters & Record<string, number>>(DUE);

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

    async takeDue({ until, ...turn }) {
      // A lease that ends later than one taken now could comes from a wrong clock.
      const parameters = { ...turn, latest: until + (until - turn.now) };
      // Searched outside the transaction, because writers would wait for it, and usually nothing is due.
      const found = due.all(parameters).map(({ id }) => id);
      if (found.length === 0) return [];
      return writeRelaxed((tx) => {
        const ids = stillDue(tx, found, parameters);
        tx.update(deliveries).set({ takenUntil: until }).where(inArray(deliveries.id, ids)).run();
        const { id, attempts } = deliveries;
        const rows = tx
          .select({ id, attempts, event: events, webhook: webhookColumns })
          .from(deliveries)
          .innerJoin(events, eq(events.id, deliveries.eventId))
          .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
          .where(inArray(id, ids))
          .all();
        const inOrder = rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
        return inOrder.map((row) => ({ ...row, takenUntil: until }));
      });
    },

    async giveBack(id, takenUntil) {
      const taken = and(eq(deliveries.id, id), eq(deliveries.takenUntil, takenUntil));
      await writeRelaxed((tx) => tx.update(deliveries).set({ takenUntil: null }).where(taken).run());
    },

    async record(id, attempt, verdict, takenUntil) {
      const taken = takenUntil === undefined ? undefined : eq(deliveries.takenUntil, takenUntil);
      return writeRelaxed((tx) => record(tx, and(eq(deliveries.id, id), taken), attempt, verdict));
    },

    forgetBefore: (at) => forgetBefore(connection, at),
  };
}

const { ownerId: _, ...ownerless } = getTableColumns(webhooks);
/** The columns of a webhook, as in the domain. */
export const webhookColumns = ownerless;

/** Disables a webhook and fails its pending deliveries. */
export function switchOff(tx: Drizzle, webhookId: string, at: number, reason: string): void {
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

/** Returns false if no delivery is selected. */
function record(tx: Drizzle, meant: SQL | undefined, attempt: Attempt, verdict: Verdict): boolean {
  const found = tx
    .select({
      id: deliveries.id,
      webhookId: webhooks.id,
      disabledAt: webhooks.disabledAt,
      attempts: deliveries.attempts,
    })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(meant)
    .get();
  if (!found) return false;
  const { status, nextAttemptAt, error, failingSince, disabledReason, slowAnswers, restsUntil } = settle(
    verdict,
    found.disabledAt !== null,
  );
  tx.update(deliveries)
    .set({
      status,
      nextAttemptAt,
      attempts: found.attempts + 1,
      takenUntil: null,
      attemptedAt: attempt.at,
      statusCode: attempt.statusCode,
      error,
      duration: attempt.duration,
    })
    .where(eq(deliveries.id, found.id))
    .run();
  tx.update(webhooks).set({ failingSince, slowAnswers, restsUntil }).where(eq(webhooks.id, found.webhookId)).run();
  if (disabledReason !== null) switchOff(tx, found.webhookId, attempt.at, disabledReason);
  return true;
}
