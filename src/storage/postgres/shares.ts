import { and, count, desc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { NewShare, SharedHost } from "../../domain/model/share.ts";
import type { NewShareVisit, ShareStore } from "../../domain/ports/store/shares.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { addingTo } from "./failures.ts";
import { announce } from "./live-events.ts";
import { countRows, first } from "./rows.ts";
import { shares, shareVisits } from "./schema.ts";

/** Without the hashes: they are compared, and never read back with a share. */
const shown = {
  id: shares.id,
  siteId: shares.siteId,
  label: shares.label,
  kind: shares.kind,
  target: shares.target,
  createdAt: shares.createdAt,
  expiresAt: shares.expiresAt,
  uses: shares.uses,
  lastUsedAt: shares.lastUsedAt,
};

export function shareStore({ read, write }: Connection): ShareStore {
  return {
    add: (share, most) =>
      addingTo(
        "site",
        write((tx) => addShare(tx, share, most)),
      ),

    async listOfSite(siteId) {
      const ofSite = eq(shares.siteId, siteId);
      const newestFirst = [desc(shares.createdAt), desc(shares.id)];
      return read((db) =>
        db
          .select(shown)
          .from(shares)
          .where(ofSite)
          .orderBy(...newestFirst),
      );
    },

    async remove(siteId, id) {
      const one = and(eq(shares.siteId, siteId), eq(shares.id, id));
      return write(async (tx) => {
        const isRemoved = (await first(tx.delete(shares).where(one).returning({ id: shares.id }))) !== null;
        if (isRemoved) await announce(tx, accessChanged(siteId));
        return isRemoved;
      });
    },

    async findBySecret(hash, kind, at, now) {
      const meant = and(eq(shares.secretHash, hash), eq(shares.kind, kind), reaches(at, now));
      return read((db) => first(db.select(shown).from(shares).where(meant)));
    },

    listPasswords: (at, now) => read((db) => listPasswords(db, at, now)),
    enter: (visit, most) => write((tx) => enter(tx, visit, most)),

    async admits(tokenHash, at, now) {
      const ofVisit = and(eq(shareVisits.tokenHash, tokenHash), eq(shareVisits.host, at.host));
      const open = and(ofVisit, gt(shareVisits.expiresAt, now), reaches(at, now));
      const visit = (db: Drizzle) =>
        db
          .select({ id: shares.id })
          .from(shareVisits)
          .innerJoin(shares, eq(shares.id, shareVisits.shareId))
          .where(open);
      return (await read((db) => first(visit(db)))) !== null;
    },

    async touch(id, at) {
      await write((tx) => tx.update(shares).set(used(at)).where(eq(shares.id, id)));
    },

    async removeExpired(now, expiredBefore) {
      return write(async (tx) => {
        const ended = tx.delete(shareVisits).where(lte(shareVisits.expiresAt, now));
        const over = tx.delete(shares).where(lte(shares.expiresAt, expiredBefore));
        const removedVisits = await countRows(ended.returning({ hash: shareVisits.tokenHash }));
        return removedVisits + (await countRows(over.returning({ id: shares.id })));
      });
    },
  };
}

// --- internal ---

async function addShare(tx: Drizzle, share: NewShare, most: number): Promise<boolean> {
  // Two at once would both find room. A site that is gone is found by the foreign key.
  await lockSite(tx, share.siteId);
  const current = and(eq(shares.siteId, share.siteId), gt(shares.expiresAt, share.createdAt));
  const there = await first(tx.select({ total: count() }).from(shares).where(current));
  if ((there?.total ?? 0) >= most) return false;
  await tx.insert(shares).values(share);
  await announce(tx, accessChanged(share.siteId));
  return true;
}

/** The count of a use locks the share, and with it the number of its visits. */
async function enter(tx: Drizzle, visit: NewShareVisit, most: number): Promise<boolean> {
  const touched = tx.update(shares).set(used(visit.createdAt)).where(eq(shares.id, visit.shareId));
  if (!(await first(touched.returning({ id: shares.id })))) return false;
  await endOldestVisits(tx, visit.shareId, most - 1);
  await tx.insert(shareVisits).values(visit);
  return true;
}

async function listPasswords(
  db: Drizzle,
  at: SharedHost,
  now: number,
): Promise<readonly { readonly id: string; readonly passwordHash: string }[]> {
  const rows = await db
    .select({ id: shares.id, passwordHash: shares.passwordHash })
    .from(shares)
    .where(and(eq(shares.kind, "password"), reaches(at, now)))
    .orderBy(desc(shares.createdAt), desc(shares.id));
  return rows.flatMap(({ id, passwordHash }) => (passwordHash === null ? [] : [{ id, passwordHash }]));
}

function reaches({ siteId, target }: SharedHost, now: number): SQL | undefined {
  return and(eq(shares.siteId, siteId), eq(shares.target, target), gt(shares.expiresAt, now));
}

function used(at: number) {
  return { uses: sql`${shares.uses} + 1`, lastUsedAt: at };
}

/** Ends a share's visits except the newest `kept`. Visits of the same moment as an ended one end, too. */
async function endOldestVisits(tx: Drizzle, shareId: string, kept: number): Promise<void> {
  const ofShare = eq(shareVisits.shareId, shareId);
  const visits = tx.select({ at: shareVisits.createdAt }).from(shareVisits).where(ofShare);
  const last = await first(visits.orderBy(desc(shareVisits.createdAt)).limit(1).offset(kept));
  if (last) await tx.delete(shareVisits).where(and(ofShare, lte(shareVisits.createdAt, last.at)));
}
