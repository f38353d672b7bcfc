import { and, asc, eq } from "drizzle-orm";
import type { ReaderStore } from "../../domain/ports/store/readers.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo, deletedMeanwhile } from "./failures.ts";
import { readers, sites, users } from "./schema.ts";

const columns = {
  id: readers.id,
  userId: readers.userId,
  login: users.login,
  name: users.name,
  avatarUrl: users.avatarUrl,
};

export function readerStore({ db, write }: Connection): ReaderStore {
  const ofSite = (tx: Drizzle) => tx.select(columns).from(readers).innerJoin(users, eq(users.id, readers.userId));
  return {
    async list(siteId) {
      return ofSite(db).where(eq(readers.siteId, siteId)).orderBy(asc(users.login)).all();
    },

    async add(siteId, userId, at) {
      const reader = write((tx) => {
        if (!isPrivate(tx, siteId)) return "not_private";
        tx.insert(readers).values({ siteId, userId, createdAt: at }).onConflictDoNothing().run();
        const added = and(eq(readers.siteId, siteId), eq(readers.userId, userId));
        return ofSite(tx).where(added).get() ?? "not_private";
      });
      return addingTo("the provider user", reader);
    },

    async remove(siteId, readerId) {
      return write((tx) => {
        if (!isPrivate(tx, siteId)) return "not_private";
        const reader = and(eq(readers.id, readerId), eq(readers.siteId, siteId));
        return tx.delete(readers).where(reader).returning({ id: readers.id }).get() ? "removed" : "missing";
      });
    },

    async mayRead(siteId, userId) {
      const owned = and(eq(sites.id, siteId), eq(sites.ownerId, userId));
      if (db.select({ id: sites.id }).from(sites).where(owned).get()) return true;
      const read = and(eq(readers.siteId, siteId), eq(readers.userId, userId));
      return db.select({ id: readers.id }).from(readers).where(read).get() !== undefined;
    },

    async readsAnything(userId) {
      return db.select({ id: readers.id }).from(readers).where(eq(readers.userId, userId)).limit(1).get() !== undefined;
    },
  };
}

function isPrivate(tx: Drizzle, siteId: number): boolean {
  const site = tx.select({ private: sites.private }).from(sites).where(eq(sites.id, siteId)).get();
  if (!site) throw deletedMeanwhile("site");
  return site.private;
}
