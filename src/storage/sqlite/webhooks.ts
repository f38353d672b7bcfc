import { and, asc, count, eq } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { type NewWebhook, OPERATOR_WEBHOOK, SWITCHED_ON, type Webhook } from "../../domain/model/webhook.ts";
import type { WebhookStore } from "../../domain/ports/store/webhooks.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { sites, webhooks } from "./schema.ts";
import { disableWebhook, webhookColumns, webhookDeliveryStore } from "./webhook-deliveries.ts";

export function webhookStore(connection: Connection): WebhookStore {
  const { db, write, announce } = connection;
  /** Changes a webhook, and notifies its site's owner through event streams. */
  const update = (id: string, change: (tx: Drizzle) => void) =>
    write((tx) => {
      change(tx);
      const webhook = tx.select({ siteId: webhooks.siteId }).from(webhooks).where(eq(webhooks.id, id)).get();
      if (webhook && webhook.siteId !== null) announce(siteChanged(webhook.siteId));
    });
  const ofSite = (siteId: number, id: string) => and(eq(webhooks.siteId, siteId), eq(webhooks.id, id));

  return {
    ...webhookDeliveryStore(connection),

    add: (webhook, most) => addWebhook(connection, webhook, most),

    async listOfSite(siteId) {
      const rows = db.select(webhookColumns).from(webhooks).where(eq(webhooks.siteId, siteId));
      return rows.orderBy(asc(webhooks.createdAt), asc(webhooks.id)).all();
    },

    async find(siteId, id) {
      return db.select(webhookColumns).from(webhooks).where(ofSite(siteId, id)).get() ?? null;
    },

    async change(id, to) {
      await update(id, (tx) => tx.update(webhooks).set(to).where(eq(webhooks.id, id)).run());
    },

    async disable(id, at, reason) {
      await update(id, (tx) => disableWebhook(tx, id, at, reason));
    },

    async enable(id) {
      await update(id, (tx) => tx.update(webhooks).set(SWITCHED_ON).where(eq(webhooks.id, id)).run());
    },

    async rotate(id, secret, previousUntil) {
      const rotated = { secret, previousSecret: webhooks.secret, previousSecretUntil: previousUntil };
      await update(id, (tx) => tx.update(webhooks).set(rotated).where(eq(webhooks.id, id)).run());
    },

    keepOperators: (wanted, createdAt) => keepOperators(connection, wanted, createdAt),

    async findOperators() {
      return db.select(webhookColumns).from(webhooks).where(eq(webhooks.id, OPERATOR_WEBHOOK)).get() ?? null;
    },

    async delete(siteId, id) {
      return write((tx) => {
        const isRemoved = tx.delete(webhooks).where(ofSite(siteId, id)).returning({ id: webhooks.id }).all().length > 0;
        if (isRemoved) announce(siteChanged(siteId));
        return isRemoved;
      });
    },
  };
}

// --- internal ---

async function addWebhook({ write, announce }: Connection, webhook: NewWebhook, most: number): Promise<boolean> {
  const added = write((tx) => {
    const there = tx.select({ total: count() }).from(webhooks).where(eq(webhooks.siteId, webhook.siteId)).get();
    if ((there?.total ?? 0) >= most) return false;
    const { ownerId = null } =
      tx.select({ ownerId: sites.ownerId }).from(sites).where(eq(sites.id, webhook.siteId)).get() ?? {};
    tx.insert(webhooks)
      .values({ ...webhook, ownerId })
      .run();
    announce(siteChanged(webhook.siteId));
    return true;
  });
  return addingTo("site", added);
}

async function keepOperators(
  { write }: Connection,
  wanted: Pick<Webhook, "url" | "secret"> | null,
  createdAt: number,
): Promise<void> {
  const operators = eq(webhooks.id, OPERATOR_WEBHOOK);
  await write((tx) => {
    if (wanted === null) return tx.delete(webhooks).where(operators).run();
    const row = { id: OPERATOR_WEBHOOK, ...wanted, createdAt };
    return tx
      .insert(webhooks)
      .values(row)
      .onConflictDoUpdate({ target: webhooks.id, set: { ...wanted, ...SWITCHED_ON } })
      .run();
  });
}
