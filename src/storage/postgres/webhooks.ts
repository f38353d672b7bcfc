import { and, asc, count, eq, sql } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { type NewWebhook, OPERATOR_WEBHOOK } from "../../domain/model/webhook.ts";
import type { WebhookStore } from "../../domain/ports/store/webhooks.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { announce } from "./live-events.ts";
import { countRows, first } from "./rows.ts";
import { sites, webhooks } from "./schema.ts";
import { switchOff, webhookColumns, webhookDeliveryStore } from "./webhook-deliveries.ts";

/** The state of a webhook that was switched on. */
const CLEAN = { disabledAt: null, disabledReason: null, failingSince: null, slowAnswers: 0, restsUntil: null };

export function webhookStore(connection: Connection): WebhookStore {
  const { read, write } = connection;
  /** Changes a webhook, and notifies its site's owner through event streams. */
  const update = (id: string, change: (tx: Drizzle) => Promise<unknown>) =>
    write(async (tx) => {
      await change(tx);
      const webhook = await first(tx.select({ siteId: webhooks.siteId }).from(webhooks).where(eq(webhooks.id, id)));
      if (webhook && webhook.siteId !== null) await announce(tx, siteChanged(webhook.siteId));
    });
  const ofSite = (siteId: number, id: string) => and(eq(webhooks.siteId, siteId), eq(webhooks.id, id));

  return {
    ...webhookDeliveryStore(connection),

    add: (webhook, most) =>
      addingTo(
        "site",
        write((tx) => add(tx, webhook, most)),
      ),

    async listOfSite(siteId) {
      return read((db) =>
        db
          .select(webhookColumns)
          .from(webhooks)
          .where(eq(webhooks.siteId, siteId))
          .orderBy(asc(webhooks.createdAt), asc(webhooks.id)),
      );
    },

    find: (siteId, id) => read((db) => first(db.select(webhookColumns).from(webhooks).where(ofSite(siteId, id)))),

    change: (id, { url, events }) =>
      update(id, async (tx) => {
        const isNothing = url === undefined && events === undefined;
        // Drizzle refuses an update without fields.
        if (!isNothing) await tx.update(webhooks).set({ url, events }).where(eq(webhooks.id, id));
      }),

    disable: (id, at, reason) => update(id, (tx) => switchOff(tx, id, at, reason)),

    enable: (id) => update(id, async (tx) => tx.update(webhooks).set(CLEAN).where(eq(webhooks.id, id))),

    async rotate(id, secret, previousUntil) {
      const rotated = { secret, previousSecret: sql`${webhooks.secret}`, previousSecretUntil: previousUntil };
      await update(id, async (tx) => tx.update(webhooks).set(rotated).where(eq(webhooks.id, id)));
    },

    async keepOperators(wanted, createdAt) {
      await write(async (tx) => {
        if (wanted === null) return tx.delete(webhooks).where(eq(webhooks.id, OPERATOR_WEBHOOK));
        const row = { id: OPERATOR_WEBHOOK, ...wanted, createdAt };
        const changed = { target: webhooks.id, set: { ...wanted, ...CLEAN } };
        return tx.insert(webhooks).values(row).onConflictDoUpdate(changed);
      });
    },

    findOperators: () =>
      read((db) => first(db.select(webhookColumns).from(webhooks).where(eq(webhooks.id, OPERATOR_WEBHOOK)))),

    async remove(siteId, id) {
      return write(async (tx) => {
        const removed = tx.delete(webhooks).where(ofSite(siteId, id)).returning({ id: webhooks.id });
        const isRemoved = (await countRows(removed)) > 0;
        if (isRemoved) await announce(tx, siteChanged(siteId));
        return isRemoved;
      });
    },
  };
}

// --- internal ---

/** Locks the site, so that webhooks are counted and added one after the other. */
async function add(tx: Drizzle, webhook: NewWebhook, most: number): Promise<boolean> {
  const owner = tx.select({ ownerId: sites.ownerId }).from(sites).where(eq(sites.id, webhook.siteId));
  const site = await first(owner.for("no key update"));
  const there = tx.select({ total: count() }).from(webhooks).where(eq(webhooks.siteId, webhook.siteId));
  if (((await first(there))?.total ?? 0) >= most) return false;
  await tx.insert(webhooks).values({ ...webhook, ownerId: site?.ownerId ?? null });
  await announce(tx, siteChanged(webhook.siteId));
  return true;
}
