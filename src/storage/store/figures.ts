import { count, eq, gt, isNotNull, min, type SQL, sql, sum } from "drizzle-orm";
import type { Figures } from "../../domain/ports/store/figures.ts";
import type { Totals } from "../../domain/ports/store/totals.ts";
import type { Drizzle } from "./connection.ts";
import { countOf, first } from "./rows.ts";
import {
  accountLinks,
  claims,
  contents,
  deployments,
  sites,
  users,
  webhookDeliveries,
  webhookEvents,
  webhooks,
} from "./schema.ts";

/** Counts what there is. */
export async function readFigures(db: Drizzle): Promise<Figures> {
  const all = { total: count() };
  const people = await first(db.select(all).from(users));
  const hosted = await first(db.select({ ...all, private: countWhere(sql`${sites.private}`) }).from(sites));
  const made = await first(db.select(all).from(deployments));
  const kept = await first(db.select({ ...all, bytes: sum(contents.size).mapWith(Number) }).from(contents));
  const claimed = { status: claims.status, route: claims.routeStatus, count: count() };
  return {
    users: people!.total,
    sites: hosted!.total,
    privateSites: hosted!.private,
    deployments: made!.total,
    contents: kept!.total,
    contentBytes: kept!.bytes ?? 0,
    claims: await db.select(claimed).from(claims).groupBy(claims.status, claims.routeStatus),
    webhooks: await webhookFigures(db),
  };
}

/** Counts people and sites. */
export async function readTotals(db: Drizzle, now: number): Promise<Totals> {
  const frozen = (column: SQL) => countWhere(sql`${column} IS NOT NULL`);
  const people = await first(
    db
      .select({
        all: count(),
        operators: countWhere(sql`${users.operator}`),
        frozen: frozen(sql`${users.frozen}`),
      })
      .from(users),
  );
  const open = sql`${eq(accountLinks.kind, "invitation")} AND ${gt(accountLinks.expiresAt, now)}`;
  const invited = await countOf(db, accountLinks, open);
  const hosted = await first(
    db
      .select({ all: count(), private: countWhere(sql`${sites.private}`), frozen: frozen(sql`${sites.frozen}`) })
      .from(sites),
  );
  return { users: { ...people!, invited }, sites: hosted! };
}

// --- internal ---

function countWhere(condition: SQL): SQL<number> {
  return sql`count(*) FILTER (WHERE ${condition})`.mapWith(Number) as SQL<number>;
}

async function webhookFigures(db: Drizzle): Promise<Figures["webhooks"]> {
  const disabled = countWhere(isNotNull(webhooks.disabledAt));
  const totals = await first(db.select({ all: count(), disabled }).from(webhooks));
  const pending = eq(webhookDeliveries.status, "pending");
  const oldest = await first(
    db
      .select({ at: min(webhookEvents.at) })
      .from(webhookDeliveries)
      .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
      .where(pending),
  );
  return {
    active: totals!.all - totals!.disabled,
    disabled: totals!.disabled,
    oldestPendingAt: oldest?.at ?? null,
    deliveries: await db
      .select({ status: webhookDeliveries.status, count: count() })
      .from(webhookDeliveries)
      .groupBy(webhookDeliveries.status),
  };
}
