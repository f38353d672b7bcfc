import { and, asc, count, eq, ne, sql } from "drizzle-orm";
import { invitationSubject } from "../../domain/accounts/accounts.ts";
import type { User } from "../../domain/accounts/user.ts";
import type { Identity } from "../../domain/ports/identity.ts";
import type { NewUser, UserStore } from "../../domain/ports/store/users.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { deviceCodes, sessions, sites, users } from "./schema.ts";

/** The columns of a person, as the domain sees one. */
const userColumns = {
  id: users.id,
  provider: users.provider,
  subject: users.subject,
  login: users.login,
  name: users.name,
  avatarUrl: users.avatarUrl,
  mayOwn: users.mayOwn,
  createdAt: users.createdAt,
  frozen: users.frozen,
};

export function userStore({ db, write, writeRouting, writeFreeing }: Connection): UserStore {
  return {
    async add(user) {
      return write((tx) => insert(tx, user));
    },

    async addFirst(user) {
      return write((tx) => (countUsers(tx) > 0 ? null : insert(tx, user)));
    },

    async find(id) {
      return db.select(userColumns).from(users).where(eq(users.id, id)).get() ?? null;
    },

    async findByLogin(provider, login) {
      const matches = and(eq(users.provider, provider), eq(users.login, login));
      return db.select(userColumns).from(users).where(matches).get() ?? null;
    },

    async findBySubject(provider, subject) {
      const matches = and(eq(users.provider, provider), eq(users.subject, subject));
      return db.select(userColumns).from(users).where(matches).get() ?? null;
    },

    async passwordHash(id) {
      return db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, id)).get()?.hash ?? null;
    },

    async list() {
      return db.select(userColumns).from(users).orderBy(asc(users.login)).all();
    },

    async count() {
      return countUsers(db);
    },

    async setPassword(id, passwordHash) {
      return write((tx) => {
        const changed = tx
          .update(users)
          .set({ passwordHash })
          .where(eq(users.id, id))
          .returning({ id: users.id })
          .all();
        tx.delete(sessions).where(eq(sessions.userId, id)).run();
        // Redeemed ones too: the session of such a code may be about to begin.
        tx.update(deviceCodes).set({ verdict: "denied" }).where(eq(deviceCodes.userId, id)).run();
        return changed.length > 0;
      });
    },

    async recognize(identity, at) {
      return write((tx) => recognize(tx, identity, at));
    },

    async refresh(id, profile) {
      await write((tx) => tx.update(users).set(profile).where(eq(users.id, id)).run());
    },

    async setMayOwn(id, mayOwn) {
      await write((tx) => tx.update(users).set({ mayOwn }).where(eq(users.id, id)).run());
    },

    async setFrozen(id, frozen) {
      return writeRouting((tx) => {
        const changed = tx.update(users).set({ frozen }).where(eq(users.id, id)).returning({ id: users.id }).all();
        return changed.length > 0;
      });
    },

    async remove(id) {
      return writeFreeing((tx) => {
        if (tx.select({ id: sites.id }).from(sites).where(eq(sites.ownerId, id)).limit(1).get()) return "owns_sites";
        const removed = tx.delete(users).where(eq(users.id, id)).returning({ id: users.id }).all();
        return removed.length > 0 ? "removed" : "missing";
      });
    },
  };
}

function recognize(tx: Drizzle, identity: Identity, at: number): User {
  const { provider, subject, login, name, avatarUrl } = identity;
  const ofSubject = (wanted: string) => and(eq(users.provider, provider), eq(users.subject, wanted));
  const known = tx.select({ id: users.id }).from(users).where(ofSubject(subject)).get();
  if (!known)
    tx.update(users)
      .set({ subject })
      .where(ofSubject(invitationSubject(login)))
      .run();
  // Whoever showed this login until now has been renamed; their id keeps the old name unique until they are back.
  tx.update(users)
    .set({ login: sql`${users.login} || '~' || ${users.id}` })
    .where(and(eq(users.provider, provider), eq(users.login, login), ne(users.subject, subject)))
    .run();
  return tx
    .insert(users)
    .values({ provider, subject, login, name, avatarUrl, mayOwn: false, passwordHash: null, createdAt: at })
    .onConflictDoUpdate({ target: [users.provider, users.subject], set: { login, name, avatarUrl } })
    .returning(userColumns)
    .get();
}

function insert(tx: Drizzle, user: NewUser): User | null {
  return tx.insert(users).values(user).onConflictDoNothing().returning(userColumns).get() ?? null;
}

function countUsers(db: Drizzle): number {
  return (
    db
      .select({ total: count(sql`1`) })
      .from(users)
      .get()?.total ?? 0
  );
}
