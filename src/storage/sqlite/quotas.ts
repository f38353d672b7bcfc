import { count, eq, sum } from "drizzle-orm";
import type { OwnQuota, Quota, Usage } from "../../domain/accounts/quota.ts";
import { adminChanged } from "../../domain/events/changes.ts";
import type { QuotaStore } from "../../domain/ports/store/quotas.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { deployments, quotas, sites } from "./schema.ts";

export function quotaStore({ db, write, announce }: Connection): QuotaStore {
  return {
    async usage(userId) {
      return usageOf(db, userId);
    },

    async own(userId) {
      return ownQuota(db, userId);
    },

    async setOwn(userId, quota) {
      await write((tx) => {
        replaceQuota(tx, userId, quota);
        announce(adminChanged());
      });
    },
  };
}

/** Sums up what a person's sites amount to; about a millisecond with ten thousand deployments. */
export function usageOf(db: Drizzle, userId: number): Usage {
  const owned = db.select({ sites: count() }).from(sites).where(eq(sites.ownerId, userId)).get();
  const kept = db
    .select({ bytes: sum(deployments.sizeBytes).mapWith(Number) })
    .from(deployments)
    .innerJoin(sites, eq(sites.id, deployments.siteId))
    .where(eq(sites.ownerId, userId))
    .get();
  return { sites: owned?.sites ?? 0, bytes: kept?.bytes ?? 0 };
}

export function replaceQuota(tx: Drizzle, userId: number, quota: OwnQuota): void {
  const rows = Object.entries(quota).map(([kind, most]) => ({ userId, kind: kind as keyof Quota, most }));
  tx.delete(quotas).where(eq(quotas.userId, userId)).run();
  if (rows.length > 0) tx.insert(quotas).values(rows).run();
}

export function ownQuota(db: Drizzle, userId: number): OwnQuota {
  const rows = db.select().from(quotas).where(eq(quotas.userId, userId)).all();
  return Object.fromEntries(rows.map(({ kind, most }) => [kind, most]));
}
