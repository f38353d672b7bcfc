import { and, desc, eq, not, type SQL, sql } from "drizzle-orm";
import { sessionsChanged } from "../../domain/events/changes.ts";
import type { SessionStore, SignInProof } from "../../domain/ports/store/sessions.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { countRows, first } from "./rows.ts";
import { deviceCodes, sessions, users } from "./schema.ts";
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
  signedInAt: sessions.signedInAt,
  limit: sessions.limit,
};

export function sessionStore({ read, write }: Connection): SessionStore {
  const find = (which: SQL) =>
    read((db) =>
      first(
        db
          .select({ session: sessionColumns, user: userColumns })
          .from(sessions)
          .innerJoin(users, eq(users.id, sessions.userId))
          .where(which),
      ),
    );
  const revoke = (which: SQL | undefined, userId: number) =>
    write(async (tx) => {
      const removed = await countRows(tx.delete(sessions).where(which).returning({ id: sessions.id }));
      if (removed > 0) await announce(tx, sessionsChanged(userId));
      return removed;
    });

  return {
    async add(session, proof) {
      const row = { ...session, lastUsedAt: session.createdAt };
      return write(async (tx) => {
        if (!(await mayBegin(tx, session.userId, proof))) return null;
        await tx.update(users).set({ lastSeenAt: session.createdAt }).where(eq(users.id, session.userId));
        return first(tx.insert(sessions).values(row).returning(sessionColumns));
      });
    },

    findByHash: (tokenHash) => find(eq(sessions.tokenHash, tokenHash)),
    find: (id) => find(eq(sessions.id, id)),

    async listOfUser(userId, now) {
      const theirs = and(eq(sessions.userId, userId), not(hasEnded(now)));
      return read((db) => db.select(sessionColumns).from(sessions).where(theirs).orderBy(desc(sessions.id)));
    },

    async touch(id, at) {
      await write(async (tx) => {
        const touched = tx.update(sessions).set({ lastUsedAt: at }).where(eq(sessions.id, id));
        const session = await first(touched.returning({ userId: sessions.userId }));
        if (session) await tx.update(users).set({ lastSeenAt: at }).where(eq(users.id, session.userId));
      });
    },

    async confirm(id, at) {
      return write(async (tx) => {
        const confirmed = tx.update(sessions).set({ signedInAt: at }).where(eq(sessions.id, id));
        return (await first(confirmed.returning({ id: sessions.id }))) !== null;
      });
    },

    revokeAll: (userId) => revoke(eq(sessions.userId, userId), userId),

    async revoke(id, userId) {
      return (await revoke(and(eq(sessions.id, id), eq(sessions.userId, userId)), userId)) > 0;
    },

    removeExpired: (now) =>
      write((tx) => countRows(tx.delete(sessions).where(hasEnded(now)).returning({ id: sessions.id }))),
  };
}

// --- internal ---

function hasEnded(now: number): SQL {
  return sql`(${sessions.expiresAt} <= ${now} OR ${sessions.lastUsedAt} + ${sessions.idleLimit} <= ${now})`;
}

/** Locks the user, so that a concurrent change of the password comes before the session, or ends it. */
async function mayBegin(tx: Drizzle, userId: number, proof: SignInProof | undefined): Promise<boolean> {
  const person = tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  const user = await first(person.for("update"));
  if (!user) return false;
  if (proof === undefined) return true;
  if ("passwordHash" in proof) return user.passwordHash === proof.passwordHash;
  const redeemed = and(eq(deviceCodes.id, proof.deviceCodeId), eq(deviceCodes.verdict, "redeemed"));
  return (await first(tx.select({ id: deviceCodes.id }).from(deviceCodes).where(redeemed))) !== null;
}
