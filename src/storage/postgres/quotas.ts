import { count, eq, sum } from "drizzle-orm";
import { type OwnQuota, type Quota, quotaInForce, type Room, type Usage } from "../../domain/accounts/quota.ts";
import type { Drizzle } from "./connection.ts";
import { takeTurn } from "./locks.ts";
import { first } from "./rows.ts";
import { deployments, quotas, sites } from "./schema.ts";

/** Sums up what a person's sites amount to. */
export async function usageOf(db: Drizzle, userId: number): Promise<Usage> {
  const owned = await first(db.select({ sites: count() }).from(sites).where(eq(sites.ownerId, userId)));
  const kept = db
    .select({ bytes: sum(deployments.sizeBytes).mapWith(Number) })
    .from(deployments)
    .innerJoin(sites, eq(sites.id, deployments.siteId))
    .where(eq(sites.ownerId, userId));
  return { sites: owned?.sites ?? 0, bytes: (await first(kept))?.bytes ?? 0 };
}

export async function ownQuota(db: Drizzle, userId: number): Promise<OwnQuota> {
  const rows = await db.select().from(quotas).where(eq(quotas.userId, userId));
  return Object.fromEntries(rows.map(({ kind, most }) => [kind, most]));
}

/**
 * Returns the limits of a person and what they have, which nobody adds to until the transaction ends. Null where there is
 * no limit: to sum up what is in use would be for nothing. Goes before any lock of a site.
 */
export async function takeRoom(tx: Drizzle, userId: number, standard: Quota): Promise<Room | null> {
  const quota = quotaInForce(standard, await ownQuota(tx, userId));
  if (quota.sites === null && quota.bytes === null) return null;
  await takeTurn(tx, `quota of ${userId}`);
  return { quota, usage: await usageOf(tx, userId) };
}
