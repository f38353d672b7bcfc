import { and, desc, eq, gt, lte, type Placeholder, type SQL, sql } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { NewShare, SharedHost } from "../../domain/model/share.ts";
import type { NewShareVisit, ShareStore } from "../../domain/ports/store/shares.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { addingTo } from "./failures.ts";
import { announce, deleteAnnounced } from "./live-events.ts";
import { prepared } from "./prepared.ts";
import { countOf, deleteRows, first } from "./rows.ts";
import { shares, shareVisits } from "./schema.ts";

/** Excludes the hashes, which are only compared. */
const shareColumns = columnsExcept(shares, "secretHash", "passwordHash");

export function shareStore({ read, write }: Connection): ShareStore {
  return {
    add: (share, most) =>
      addingTo(
        "site",
        write((tx) => addShare(tx, share, most)),
      ),

    async listOfSite(siteId) {
      const newestFirst = [desc(shares.createdAt), desc(shares.id)];
      return read((db) =>
        selectShares(db)
          .where(eq(shares.siteId, siteId))
          .orderBy(...newestFirst),
      );
    },

    delete(siteId, id) {
      const one = and(eq(shares.siteId, siteId), eq(shares.id, id));
      return write((tx) => deleteAnnounced(tx, shares, one, accessChanged(siteId)));
    },

    async findBySecret(hash, kind, at, now) {
      const meant = and(eq(shares.secretHash, hash), eq(shares.kind, kind), reaches(at, now));
      return read((db) => first(selectShares(db).where(meant)));
    },

    listPasswords: (at, now) => read((db) => listPasswords(db, at, now)),
    enter: (visit, most) => write((tx) => enter(tx, visit, most)),
    admits: async (tokenHash, at, now) =>
      (await read((db) => first(admission(db, { ...at, tokenHash, now })))) !== null,

    async touch(id, at) {
      await write((tx) => tx.update(shares).set(used(at)).where(eq(shares.id, id)));
    },

    deleteExpired: (now, expiredBefore) => write((tx) => deleteExpired(tx, now, expiredBefore)),
  };
}

// --- internal ---

function selectShares(db: Drizzle) {
  return db.select(shareColumns).from(shares);
}

async function addShare(tx: Drizzle, share: NewShare, most: number): Promise<boolean> {
  // Without the lock, two concurrent calls could exceed the limit. If the site was deleted, the foreign key refuses the
  // share.
  await lockSite(tx, share.siteId);
  const current = and(eq(shares.siteId, share.siteId), gt(shares.expiresAt, share.createdAt));
  if ((await countOf(tx, shares, current)) >= most) return false;
  await tx.insert(shares).values(share);
  await announce(tx, accessChanged(share.siteId));
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

/** Counting the use locks the share, so that its visits are counted and added one after the other. */
async function enter(tx: Drizzle, visit: NewShareVisit, most: number): Promise<boolean> {
  const touched = tx.update(shares).set(used(visit.createdAt)).where(eq(shares.id, visit.shareId));
  if (!(await first(touched.returning({ id: shares.id })))) return false;
  await endOldestVisits(tx, visit.shareId, most - 1);
  await tx.insert(shareVisits).values(visit);
  return true;
}

/** Runs for every request of a private site with a share. */
const admission = prepared((db) => {
  const at = { siteId: sql.placeholder("siteId"), target: sql.placeholder("target") };
  const ofVisit = and(
    eq(shareVisits.tokenHash, sql.placeholder("tokenHash")),
    eq(shareVisits.host, sql.placeholder("host")),
    gt(shareVisits.expiresAt, sql.placeholder("now")),
  );
  return db
    .select({ id: shares.id })
    .from(shareVisits)
    .innerJoin(shares, eq(shares.id, shareVisits.shareId))
    .where(and(ofVisit, reaches(at, sql.placeholder("now"))));
});

interface Reach {
  readonly siteId: number | Placeholder;
  readonly target: string | Placeholder;
}

function reaches({ siteId, target }: Reach, now: number | Placeholder): SQL | undefined {
  return and(eq(shares.siteId, siteId), eq(shares.target, target), gt(shares.expiresAt, now));
}

function used(at: number) {
  return { uses: sql`${shares.uses} + 1`, lastUsedAt: at };
}

/** Ends a share's visits except the newest `kept`. Visits that started at the same moment as an ended one end, too. */
async function endOldestVisits(tx: Drizzle, shareId: string, kept: number): Promise<void> {
  const ofShare = eq(shareVisits.shareId, shareId);
  const visits = tx.select({ at: shareVisits.createdAt }).from(shareVisits).where(ofShare);
  const last = await first(visits.orderBy(desc(shareVisits.createdAt)).limit(1).offset(kept));
  if (last) await tx.delete(shareVisits).where(and(ofShare, lte(shareVisits.createdAt, last.at)));
}

async function deleteExpired(tx: Drizzle, now: number, expiredBefore: number): Promise<number> {
  const ended = await deleteRows(tx, shareVisits, lte(shareVisits.expiresAt, now));
  return ended + (await deleteRows(tx, shares, lte(shares.expiresAt, expiredBefore)));
}
