import { and, count, desc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { NewShare, SharedHost } from "../../domain/model/share.ts";
import type { NewShareVisit, ShareStore } from "../../domain/ports/store/shares.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { shares, shareVisits } from "./schema.ts";

/** Excludes the hashes, which are only compared. */
const shareColumns = columnsExcept(shares, "secretHash", "passwordHash");

/** A prepared statement, because it runs for every request of a visitor with a share. */
const ADMITS = `
  SELECT 1 FROM share_visits
  JOIN shares ON shares.id = share_visits.share_id
  WHERE share_visits.token_hash = $tokenHash AND share_visits.host = $host AND share_visits.expires_at > $now
    AND shares.site_id = $siteId AND shares.target = $target AND shares.expires_at > $now`;

export function shareStore(connection: Connection): ShareStore {
  const { db, raw, write, announce } = connection;
  const admits = raw.prepare<unknown, Record<string, string | number>>(ADMITS);

  return {
    add: (share, most) => addShare(connection, share, most),

    async listOfSite(siteId) {
      const rows = db.select(shareColumns).from(shares).where(eq(shares.siteId, siteId));
      return rows.orderBy(desc(shares.createdAt), desc(shares.id)).all();
    },

    async delete(siteId, id) {
      const one = and(eq(shares.siteId, siteId), eq(shares.id, id));
      return write((tx) => {
        const isRemoved = tx.delete(shares).where(one).returning({ id: shares.id }).all().length > 0;
        if (isRemoved) announce(accessChanged(siteId));
        return isRemoved;
      });
    },

    async findBySecret(hash, kind, at, now) {
      const meant = and(eq(shares.secretHash, hash), eq(shares.kind, kind), reaches(at, now));
      return db.select(shareColumns).from(shares).where(meant).get() ?? null;
    },

    listPasswords: (at, now) => listPasswords(connection, at, now),
    enter: (visit, most) => enter(connection, visit, most),

    async admits(tokenHash, { host, siteId, target }, now) {
      return admits.get({ tokenHash, host, siteId, target, now }) !== null;
    },

    async touch(id, at) {
      await write((tx) => tx.update(shares).set(used(at)).where(eq(shares.id, id)).run());
    },

    async deleteExpired(now, expiredBefore) {
      return write((tx) => {
        const visits = tx.delete(shareVisits).where(lte(shareVisits.expiresAt, now)).returning().all().length;
        const over = lte(shares.expiresAt, expiredBefore);
        return visits + tx.delete(shares).where(over).returning({ id: shares.id }).all().length;
      });
    },
  };
}

// --- internal ---

async function addShare({ write, announce }: Connection, share: NewShare, most: number): Promise<boolean> {
  const added = write((tx) => {
    const current = and(eq(shares.siteId, share.siteId), gt(shares.expiresAt, share.createdAt));
    if ((tx.select({ total: count() }).from(shares).where(current).get()?.total ?? 0) >= most) return false;
    tx.insert(shares).values(share).run();
    announce(accessChanged(share.siteId));
    return true;
  });
  return addingTo("site", added);
}

async function enter({ write }: Connection, visit: NewShareVisit, most: number): Promise<boolean> {
  return write((tx) => {
    const touched = tx.update(shares).set(used(visit.createdAt)).where(eq(shares.id, visit.shareId));
    if (touched.returning({ id: shares.id }).all().length === 0) return false;
    endOldestVisits(tx, visit.shareId, most - 1);
    tx.insert(shareVisits).values(visit).run();
    return true;
  });
}

async function listPasswords(
  { db }: Connection,
  at: SharedHost,
  now: number,
): Promise<readonly { readonly id: string; readonly passwordHash: string }[]> {
  const rows = db.select({ id: shares.id, passwordHash: shares.passwordHash }).from(shares);
  const passwords = rows.where(and(eq(shares.kind, "password"), reaches(at, now)));
  return passwords
    .orderBy(desc(shares.createdAt), desc(shares.id))
    .all()
    .flatMap(({ id, passwordHash }) => (passwordHash === null ? [] : [{ id, passwordHash }]));
}

function reaches({ siteId, target }: SharedHost, now: number): SQL | undefined {
  return and(eq(shares.siteId, siteId), eq(shares.target, target), gt(shares.expiresAt, now));
}

function used(at: number) {
  return { uses: sql`${shares.uses} + 1`, lastUsedAt: at };
}

/** Ends a share's visits except the newest `kept`. Visits that started at the same moment as an ended one end, too. */
function endOldestVisits(tx: Drizzle, shareId: string, kept: number): void {
  const ofShare = eq(shareVisits.shareId, shareId);
  const visits = tx.select({ at: shareVisits.createdAt }).from(shareVisits).where(ofShare);
  const last = visits.orderBy(desc(shareVisits.createdAt)).limit(1).offset(kept).get();
  if (!last) return;
  const isOld = lte(shareVisits.createdAt, last.at);
  tx.delete(shareVisits).where(and(ofShare, isOld)).run();
}
