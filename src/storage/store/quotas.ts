import { count, eq, inArray, sql, sum } from "drizzle-orm";
import { adminChanged } from "../../domain/events/changes.ts";
import { type OwnQuota, type Quota, quotaInForce, type Room, type Usage } from "../../domain/model/quota.ts";
import type { QuotaStore } from "../../domain/ports/store/quotas.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { prepared } from "./prepared.ts";
import { deployments, quotas, sites, users } from "./schema.ts";

export function quotaStore({ read, write }: Connection): QuotaStore {
  return {
    usage: (userId) => read((db) => usageOf(db, userId)),
    own: (userId) => read((db) => ownQuota(db, userId)),

    async setOwn(userId, quota) {
      await write(async (tx) => {
        await replaceQuota(tx, userId, quota);
        await announce(tx, adminChanged());
      });
    },
  };
}

/** Adds up the usage of a user's sites. */
async function usageOf(db: Drizzle, userId: number): Promise<Usage> {
  return (await usagesOf(db, [userId]))(userId);
}

/** Reads what several people use, in two queries for all of them. */
export async function usagesOf(db: Drizzle, userIds: readonly number[]): Promise<(userId: number) => Usage> {
  const isTheirs = inArray(sites.ownerId, [...userIds]);
  const owned = await db
    .select({ ownerId: sites.ownerId, sites: count() })
    .from(sites)
    .where(isTheirs)
    .groupBy(sites.ownerId);
  const kept = await db
    .select({ ownerId: sites.ownerId, bytes: sum(deployments.sizeBytes).mapWith(Number) })
    .from(deployments)
    .innerJoin(sites, eq(sites.id, deployments.siteId))
    .where(isTheirs)
    .groupBy(sites.ownerId);
  const counts = new Map(owned.map(({ ownerId, sites }) => [ownerId, sites]));
  const sizes = new Map(kept.map(({ ownerId, bytes }) => [ownerId, bytes]));
  return (userId) => ({ sites: counts.get(userId) ?? 0, bytes: sizes.get(userId) ?? 0 });
}

export async function ownQuota(db: Drizzle, userId: number): Promise<OwnQuota> {
  return quotaOf(await quotasOfUser(db, { userId }));
}

const quotasOfUser = prepared((db) =>
  db
    .select()
    .from(quotas)
    .where(eq(quotas.userId, sql.placeholder("userId"))),
);

function quotaOf(rows: readonly (typeof quotas.$inferSelect)[]): OwnQuota {
  return Object.fromEntries(rows.map(({ kind, most }) => [kind, most]));
}

/** Reads the limits of several people, in one query. */
export async function ownQuotas(db: Drizzle, userIds: readonly number[]): Promise<(userId: number) => OwnQuota> {
  const rows = await db
    .select()
    .from(quotas)
    .where(inArray(quotas.userId, [...userIds]));
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return (userId) => quotaOf(byUser.get(userId) ?? []);
}

export async function replaceQuota(tx: Drizzle, userId: number, quota: OwnQuota): Promise<void> {
  const rows = Object.entries(quota).map(([kind, most]) => ({ userId, kind: kind as keyof Quota, most }));
  // Two changes at once would both find nothing to remove.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
  await tx.delete(quotas).where(eq(quotas.userId, userId));
  if (rows.length > 0) await tx.insert(quotas).values(rows);
}

/**
 * Returns the quota and the usage of a user, which nobody can increase until the transaction ends. Null without a
 * limit, to avoid adding up the usage. Must come before any lock of a site.
 */
export async function takeRoom(tx: Drizzle, userId: number, standard: Quota): Promise<Room | null> {
  const quota = quotaInForce(standard, await ownQuota(tx, userId));
  if (quota.sites === null && quota.bytes === null) return null;
  await takeLock(tx, `quota of ${userId}`);
  return { quota, usage: await usageOf(tx, userId) };
}
