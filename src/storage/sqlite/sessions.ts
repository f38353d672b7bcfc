import { and, desc, eq, not, type SQL, sql } from "drizzle-orm";
import { sessionsChanged } from "../../domain/events/changes.ts";
import type { NewSession, Session, SessionStore, SignInProof } from "../../domain/ports/store/sessions.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { type RawRow, rowReader } from "./raw-rows.ts";
import { deviceCodes, sessions, users } from "./schema.ts";
import { userColumns } from "./users.ts";

const sessionColumns = columnsExcept(sessions, "tokenHash");

/**
 * Two prepared statements, because they run for every API request: together they take 3 µs, as one joined statement 12,
 * and with the query builder 20.
 */
const FIND_SESSION = "SELECT * FROM sessions WHERE token_hash = ?";
const FIND_USER = "SELECT * FROM users WHERE id = ?";

const readSession = rowReader(sessionColumns);
const readUser = rowReader(userColumns);

export function sessionStore(connection: Connection): SessionStore {
  const { raw, db, write } = connection;
  const findByHash = raw.prepare<RawRow, [tokenHash: string]>(FIND_SESSION);
  const findById = raw.prepare<RawRow, [id: number]>("SELECT * FROM sessions WHERE id = ?");
  const findUser = raw.prepare<RawRow, [id: number]>(FIND_USER);
  const withUser = (row: RawRow | null) => {
    const session = row && readSession(row);
    // Removing a user deletes their sessions, so the user is missing only if that just happened.
    const user = session && findUser.get(session.userId);
    return session && user && { session, user: readUser(user) };
  };

  return {
    add: (session, proof) => addSession(connection, session, proof),

    findByHash: async (tokenHash) => withUser(findByHash.get(tokenHash)),
    find: async (id) => withUser(findById.get(id)),

    async listOfUser(userId, now) {
      const theirs = and(eq(sessions.userId, userId), not(hasEnded(now)));
      return db.select(sessionColumns).from(sessions).where(theirs).orderBy(desc(sessions.id)).all();
    },

    touch: (id, at) => touch(connection, id, at),

    async confirm(id, at) {
      const confirmed = (tx: Drizzle) => tx.update(sessions).set({ signedInAt: at }).where(eq(sessions.id, id));
      return write((tx) => confirmed(tx).returning({ id: sessions.id }).get() !== undefined);
    },

    async revokeAll(userId) {
      const theirs = eq(sessions.userId, userId);
      return write((tx) => removeSessions(connection, tx, theirs, userId));
    },

    async revoke(id, userId) {
      const theirs = and(eq(sessions.id, id), eq(sessions.userId, userId));
      return write((tx) => removeSessions(connection, tx, theirs, userId) > 0);
    },

    async deleteExpired(now) {
      return write((tx) => tx.delete(sessions).where(hasEnded(now)).returning({ id: sessions.id }).all().length);
    },
  };
}

// --- internal ---

async function addSession({ write }: Connection, session: NewSession, proof?: SignInProof): Promise<Session | null> {
  const row = { ...session, lastUsedAt: session.createdAt };
  return write((tx) => {
    if (!mayBegin(tx, session.userId, proof)) return null;
    tx.update(users).set({ lastSeenAt: session.createdAt }).where(eq(users.id, session.userId)).run();
    return tx.insert(sessions).values(row).returning(sessionColumns).get();
  });
}

async function touch({ write }: Connection, id: number, at: number): Promise<void> {
  await write((tx) => {
    const touched = tx.update(sessions).set({ lastUsedAt: at }).where(eq(sessions.id, id));
    const session = touched.returning({ userId: sessions.userId }).get();
    if (session) tx.update(users).set({ lastSeenAt: at }).where(eq(users.id, session.userId)).run();
  });
}

function removeSessions({ announce }: Connection, tx: Drizzle, which: SQL | undefined, userId: number): number {
  const removed = tx.delete(sessions).where(which).returning({ id: sessions.id }).all().length;
  if (removed > 0) announce(sessionsChanged(userId));
  return removed;
}

function hasEnded(now: number): SQL {
  return sql`(${sessions.expiresAt} <= ${now} OR ${sessions.lastUsedAt} + ${sessions.idleLimit} <= ${now})`;
}

function mayBegin(tx: Drizzle, userId: number, proof: SignInProof | undefined): boolean {
  const user = tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)).get();
  if (!user) return false;
  if (proof === undefined) return true;
  if ("passwordHash" in proof) return user.passwordHash === proof.passwordHash;
  const redeemed = and(eq(deviceCodes.id, proof.deviceCodeId), eq(deviceCodes.verdict, "redeemed"));
  return tx.select({ id: deviceCodes.id }).from(deviceCodes).where(redeemed).get() !== undefined;
}
