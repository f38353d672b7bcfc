import { and, asc, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { siteChanged } from "../../domain/events/changes.ts";
import { type NewWebhook, OPERATOR_WEBHOOK, SWITCHED_ON, type Webhook } from "../../domain/model/webhook.ts";
import type { WebhookStore } from "../../domain/ports/store/webhooks.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { announce, deleteAnnounced } from "./live-events.ts";
import { countOf, first } from "./rows.ts";
import { sites, webhooks } from "./schema.ts";
import { disableWebhook, webhookColumns, webhookDeliveryStore } from "./webhook-deliveries.ts";

export function webhookStore(connection: Connection): WebhookStore {
  const { read, write } = connection;
  return {
    ...webhookDeliveryStore(connection),

    add: (webhook, most) =>
      addingTo(
        "site",
        write((tx) => add(tx, webhook, most)),
      ),

    async listOfSite(siteId) {
      const oldestFirst = [asc(webhooks.createdAt), asc(webhooks.id)];
      return read((db) =>
        selectWebhooks(db)
          .where(eq(webhooks.siteId, siteId))
          .orderBy(...oldestFirst),
      );
    },

    find: (siteId, id) => read((db) => first(selectWebhooks(db).where(isOfSite(siteId, id)))),

    change: (id, { url, events }) => write((tx) => update(tx, id, { url, events })),

    async disable(id, at, reason) {
      await write(async (tx) => {
        await disableWebhook(tx, id, at, reason);
        await announceChange(tx, id);
      });
    },

    enable: (id) => write((tx) => update(tx, id, SWITCHED_ON)),

    async rotate(id, secret, previousSecretUntil) {
      const previousSecret = sql`${webhooks.secret}`;
      await write((tx) => update(tx, id, { secret, previousSecret, previousSecretUntil }));
    },

    keepOperators: (wanted, createdAt) => write((tx) => keepOperators(tx, wanted, createdAt)),
    findOperators: () => read((db) => first(selectWebhooks(db).where(eq(webhooks.id, OPERATOR_WEBHOOK)))),
    delete: (siteId, id) => write((tx) => deleteAnnounced(tx, webhooks, isOfSite(siteId, id), siteChanged(siteId))),
  };
}

// --- internal ---

function selectWebhooks(db: Drizzle) {
  return db.select(webhookColumns).from(webhooks);
}

function isOfSite(siteId: number, id: string) {
  return and(eq(webhooks.siteId, siteId), eq(webhooks.id, id));
}

/** Locks the site, so that webhooks are counted and added one after the other. */
async function add(tx: Drizzle, webhook: NewWebhook, most: number): Promise<boolean> {
  const owner = tx.select({ ownerId: sites.ownerId }).from(sites).where(eq(sites.id, webhook.siteId));
  const site = await first(owner.for("no key update"));
  if ((await countOf(tx, webhooks, eq(webhooks.siteId, webhook.siteId))) >= most) return false;
  await tx.insert(webhooks).values({ ...webhook, ownerId: site?.ownerId ?? null });
  await announce(tx, siteChanged(webhook.siteId));
  return true;
}

async function update(tx: Drizzle, id: string, fields: PgUpdateSetSource<typeof webhooks>): Promise<void> {
  // Drizzle refuses an update without fields.
  const changed = { id, ...fields };
  await tx.update(webhooks).set(changed).where(eq(webhooks.id, id));
  await announceChange(tx, id);
}

/** Notifies the owner of a webhook's site through event streams. */
async function announceChange(tx: Drizzle, id: string): Promise<void> {
  const webhook = await first(tx.select({ siteId: webhooks.siteId }).from(webhooks).where(eq(webhooks.id, id)));
  if (webhook && webhook.siteId !== null) await announce(tx, siteChanged(webhook.siteId));
}

async function keepOperators(
  tx: Drizzle,
  wanted: Pick<Webhook, "url" | "secret"> | null,
  createdAt: number,
): Promise<void> {
  if (wanted === null) {
    await tx.delete(webhooks).where(eq(webhooks.id, OPERATOR_WEBHOOK));
    return;
  }
  const row = { id: OPERATOR_WEBHOOK, ...wanted, createdAt };
  const changed = { target: webhooks.id, set: { ...wanted, ...SWITCHED_ON } };
  await tx.insert(webhooks).values(row).onConflictDoUpdate(changed);
}
