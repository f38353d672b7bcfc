import { and, eq, isNotNull, lte } from "drizzle-orm";
import { siteChanged, siteChangedForReaders } from "../../domain/events/changes.ts";
import { siteExpiring } from "../../domain/model/events.ts";
import type { SiteStore } from "../../domain/ports/store/sites.ts";
import { changeSite } from "./change-site.ts";
import { affectingSite, type Connection, type Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { note } from "./outbox.ts";
import { countRows } from "./rows.ts";
import { sites } from "./schema.ts";

type ExpiryStore = Pick<SiteStore, "setExpiry" | "notifyExpiring" | "expire" | "listExpired">;

export function siteExpiryStore({ read, write, writeRouting }: Connection): ExpiryStore {
  return {
    setExpiry: (id, expiry) => writeRouting(affectingSite(id, (tx) => changeSite(tx, id, expiry, siteChanged(id)))),

    async notifyExpiring(now, limit) {
      if ((await read((db) => selectExpiring(db, now, 1))).length === 0) return 0;
      return write((tx) => notifyExpiring(tx, now, limit));
    },

    async expire(now, limit) {
      // Most runs find nothing and need not write.
      if ((await read((db) => selectDue(db, now, 1))).length === 0) return 0;
      return writeRouting(async (tx, affects) => {
        const due = await selectDue(tx, now, limit);
        for (const { id } of due) await expire(tx, id, now);
        affects(...due.map(({ id }) => id));
        return due.length;
      });
    },

    async listExpired(before, limit) {
      const ended = and(eq(sites.expired, true), lte(sites.expiresAt, before));
      return read((db) => db.select({ id: sites.id, name: sites.name }).from(sites).where(ended).limit(limit));
    },
  };
}

// --- internal ---

function selectExpiring(db: Drizzle, now: number, limit: number) {
  const { id, name, expiresAt } = sites;
  return db
    .select({ id, name, expiresAt })
    .from(sites)
    .where(and(isNotNull(sites.expiryNoticeAt), lte(sites.expiryNoticeAt, now)))
    .limit(limit);
}

async function notifyExpiring(tx: Drizzle, now: number, limit: number): Promise<number> {
  const expiring = await selectExpiring(tx, now, limit);
  for (const { expiresAt, ...site } of expiring) {
    // Another expiry may have been set since.
    const isDue = and(eq(sites.id, site.id), lte(sites.expiryNoticeAt, now));
    const noticed = tx.update(sites).set({ expiryNoticeAt: null }).where(isDue).returning({ id: sites.id });
    const isNoticed = (await countRows(noticed)) > 0;
    // After a long standstill it may have expired already.
    if (isNoticed && expiresAt !== null && expiresAt > now)
      await note(tx, site, now, [siteExpiring(site.name, expiresAt)]);
  }
  return expiring.length;
}

function selectDue(db: Drizzle, now: number, limit: number) {
  const due = and(eq(sites.expired, false), lte(sites.expiresAt, now));
  return db.select({ id: sites.id }).from(sites).where(due).limit(limit);
}

async function expire(tx: Drizzle, id: number, now: number): Promise<void> {
  // Another expiry may have been set since.
  const isDue = and(eq(sites.id, id), lte(sites.expiresAt, now));
  const expired = tx.update(sites).set({ expired: true, expiryNoticeAt: null }).where(isDue);
  if ((await countRows(expired.returning({ id: sites.id }))) > 0) await announce(tx, siteChangedForReaders(id));
}
