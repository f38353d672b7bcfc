import { and, asc, eq, like } from "drizzle-orm";
import { INVITATION_PREFIX, isInvitation, MAX_INVITED_READERS } from "../../domain/accounts/invitations.ts";
import { deletedMeanwhile } from "../../domain/errors.ts";
import { readerAdded, readerRemoved } from "../../domain/events/changes.ts";
import type { Reader, ReaderStore } from "../../domain/ports/store/readers.ts";
import { columnsOf } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { readers, sites, users } from "./schema.ts";
import { routeColumns } from "./sites.ts";
import { findBySubject, recognize } from "./users.ts";

const columns = { ...columnsOf(readers, "id", "userId"), ...columnsOf(users, "login", "name", "avatarUrl") };

export function readerStore({ db, write, announce }: Connection): ReaderStore {
  const ofSite = (tx: Drizzle) => tx.select(columns).from(readers).innerJoin(users, eq(users.id, readers.userId));
  return {
    async list(siteId) {
      return ofSite(db).where(eq(readers.siteId, siteId)).orderBy(asc(users.login)).all();
    },

    async add(siteId, identity, at) {
      return write((tx) => {
        if (!isPrivate(tx, siteId)) return "not_private";
        const known = findBySubject(tx, identity);
        if (!known && identity.provider === "local") throw deletedMeanwhile("the provider user");
        const present = known && ofSite(tx).where(isReader(siteId, known.id)).get();
        if (present) return present;
        if (isInvitation(identity) && countInvited(tx, siteId) >= MAX_INVITED_READERS) return "too_many_invited";
        const { id: userId } = known ?? recognize(tx, identity, at);
        tx.insert(readers).values({ siteId, userId, createdAt: at }).run();
        announce(readerAdded(siteId, userId));
        return ofSite(tx).where(isReader(siteId, userId)).get() as Reader;
      });
    },

    async delete(siteId, readerId) {
      return write((tx) => {
        if (!isPrivate(tx, siteId)) return "not_private";
        const reader = and(eq(readers.id, readerId), eq(readers.siteId, siteId));
        const removed = tx.delete(readers).where(reader).returning({ userId: readers.userId }).get();
        if (!removed) return "missing";
        announce(readerRemoved(siteId, removed.userId));
        return "removed";
      });
    },

    async sitesOf(userId, limit) {
      return db
        .select({ name: sites.name, owner: users.login, frozen: routeColumns.frozen })
        .from(readers)
        .innerJoin(sites, eq(sites.id, readers.siteId))
        .innerJoin(users, eq(users.id, sites.ownerId))
        .where(and(eq(readers.userId, userId), eq(sites.private, true)))
        .orderBy(asc(sites.name))
        .limit(limit)
        .all();
    },

    async mayRead(siteId, userId) {
      const owned = and(eq(sites.id, siteId), eq(sites.ownerId, userId));
      if (db.select({ id: sites.id }).from(sites).where(owned).get()) return true;
      return db.select({ id: readers.id }).from(readers).where(isReader(siteId, userId)).get() !== undefined;
    },
  };
}

// --- internal ---

function isReader(siteId: number, userId: number) {
  return and(eq(readers.siteId, siteId), eq(readers.userId, userId));
}

function countInvited(tx: Drizzle, siteId: number): number {
  const ofSite = tx.select({ id: readers.id }).from(readers).innerJoin(users, eq(users.id, readers.userId));
  const isInvited = like(users.subject, `${INVITATION_PREFIX}%`);
  return ofSite.where(and(eq(readers.siteId, siteId), isInvited)).all().length;
}

function isPrivate(tx: Drizzle, siteId: number): boolean {
  const site = tx.select({ private: sites.private }).from(sites).where(eq(sites.id, siteId)).get();
  if (!site) throw deletedMeanwhile("site");
  return site.private;
}
