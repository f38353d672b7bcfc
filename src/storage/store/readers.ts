import { and, asc, eq, like } from "drizzle-orm";
import { INVITATION_PREFIX, isInvitation, MAX_INVITED_READERS } from "../../domain/accounts/invitations.ts";
import { deletedMeanwhile } from "../../domain/errors.ts";
import { readerAdded, readerRemoved } from "../../domain/events/changes.ts";
import { may } from "../../domain/model/role.ts";
import type { Identity } from "../../domain/model/user.ts";
import type { Reader, ReaderStore } from "../../domain/ports/store/readers.ts";
import { columnsOf } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { findRole } from "./roles.ts";
import { countRows, first } from "./rows.ts";
import { readers, sites, users } from "./schema.ts";
import { isFrozen } from "./sites.ts";
import { ignoringCase } from "./sql.ts";
import { findBySubject, recognize } from "./users.ts";

const columns = { ...columnsOf(readers, "id", "userId"), ...columnsOf(users, "login", "name", "avatarUrl") };

export function readerStore({ read, write }: Connection): ReaderStore {
  return {
    async list(siteId) {
      const ofSite = eq(readers.siteId, siteId);
      return read((db) => selectReaders(db).where(ofSite).orderBy(ignoringCase(users.login)));
    },

    add: (siteId, identity, at) => write((tx) => addReader(tx, siteId, identity, at)),

    async delete(siteId, readerId) {
      return write(async (tx) => {
        if (!(await lockPrivate(tx, siteId))) return "not_private";
        const reader = and(eq(readers.id, readerId), eq(readers.siteId, siteId));
        const removed = await first(tx.delete(readers).where(reader).returning({ userId: readers.userId }));
        if (!removed) return "missing";
        await announce(tx, readerRemoved(siteId, removed.userId));
        return "deleted";
      });
    },

    async sitesOf(userId, limit) {
      return read((db) =>
        db
          .select({ name: sites.name, owner: users.login, frozen: isFrozen })
          .from(readers)
          .innerJoin(sites, eq(sites.id, readers.siteId))
          .innerJoin(users, eq(users.id, sites.ownerId))
          .where(and(eq(readers.userId, userId), eq(sites.private, true)))
          .orderBy(asc(sites.name))
          .limit(limit),
      );
    },

    async mayRead(siteId, userId) {
      return read(async (db) => may(await findRole(db, siteId, userId), "open"));
    },
  };
}

// --- internal ---

function selectReaders(db: Drizzle) {
  return db.select(columns).from(readers).innerJoin(users, eq(users.id, readers.userId));
}

async function addReader(
  tx: Drizzle,
  siteId: number,
  identity: Identity,
  at: number,
): Promise<Reader | "not_private" | "too_many_invited"> {
  // Otherwise the same user could be added twice, or an invitation removed that becomes a reader.
  await takeLock(tx, `people of ${identity.provider}`);
  if (!(await lockPrivate(tx, siteId))) return "not_private";
  const known = await findBySubject(tx, identity);
  if (!known && identity.provider === "local") throw deletedMeanwhile("the provider user");
  const present = known && (await first(selectReaders(tx).where(isReader(siteId, known.id))));
  if (present) return present;
  if (isInvitation(identity) && (await countInvited(tx, siteId)) >= MAX_INVITED_READERS) return "too_many_invited";
  const { id: userId } = known ?? (await recognize(tx, identity, at));
  await tx.insert(readers).values({ siteId, userId, createdAt: at });
  await announce(tx, readerAdded(siteId, userId));
  return (await first(selectReaders(tx).where(isReader(siteId, userId)))) as Reader;
}

function isReader(siteId: number, userId: number) {
  return and(eq(readers.siteId, siteId), eq(readers.userId, userId));
}

async function countInvited(tx: Drizzle, siteId: number): Promise<number> {
  const ofSite = tx.select({ id: readers.id }).from(readers).innerJoin(users, eq(users.id, readers.userId));
  const isInvited = like(users.subject, `${INVITATION_PREFIX}%`);
  return countRows(ofSite.where(and(eq(readers.siteId, siteId), isInvited)));
}

/** Returns whether the site is private, which it stays until the transaction ends. */
async function lockPrivate(tx: Drizzle, siteId: number): Promise<boolean> {
  const site = await first(tx.select({ private: sites.private }).from(sites).where(eq(sites.id, siteId)).for("update"));
  if (!site) throw deletedMeanwhile("site");
  return site.private;
}
