import { and, desc, eq, lte, or, sql } from "drizzle-orm";
import type { SessionStore } from "../../../domain/ports/store/sessions.ts";
import type { Connection } from "./connection.ts";
import { sessions, users } from "./schema.ts";
import { userColumns } from "./users.ts";

const sessionColumns = {
  id: sessions.id,
  userId: sessions.userId,
  createdAt: sessions.createdAt,
  lastUsedAt: sessions.lastUsedAt,
  expiresAt: sessions.expiresAt,
  idleLimit: sessions.idleLimit,
  clientName: sessions.clientName,
  address: sessions.address,
};

export function sessionStore({ db, write }: Connection): SessionStore {
  const findByHash = db
    .select({ session: sessionColumns, user: userColumns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.tokenHash, sql.placeholder("tokenHash")))
    .prepare();

  return {
    async add(session) {
      const row = { ...session, lastUsedAt: session.createdAt };
      return write((tx) => tx.insert(sessions).values(row).returning(sessionColumns).get());
    },

    async findByHash(tokenHash) {
      return findByHash.get({ tokenHash }) ?? null;
    },

    async listOfUser(userId) {
      const newestFirst = desc(sessions.id);
      return db.select(sessionColumns).from(sessions).where(eq(sessions.userId, userId)).orderBy(newestFirst).all();
    },

    async touch(id, at) {
      write((tx) => tx.update(sessions).set({ lastUsedAt: at }).where(eq(sessions.id, id)).run());
    },

    async revoke(id, userId) {
      const theirs = and(eq(sessions.id, id), eq(sessions.userId, userId));
      return write((tx) => tx.delete(sessions).where(theirs).returning({ id: sessions.id }).all().length > 0);
    },

    async removeExpired(now) {
      const idle = lte(sql`${sessions.lastUsedAt} + ${sessions.idleLimit}`, now);
      const ended = or(lte(sessions.expiresAt, now), idle);
      return write((tx) => tx.delete(sessions).where(ended).returning({ id: sessions.id }).all().length);
    },
  };
}
