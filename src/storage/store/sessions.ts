import { and, desc, eq, not, type SQL, sql } from "drizzle-orm";
import { sessionsChanged } from "../../domain/events/changes.ts";
import type { NewSession, Session, SessionStore, SignInProof } from "../../domain/ports/store/sessions.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { prepared } from "./prepared.ts";
import { deleteRows, first, hasRow } from "./rows.ts";
import { deviceCodes, passkeys, sessions, users } from "./schema.ts";
import { userColumns } from "./users.ts";

export const sessionColumns = columnsExcept(sessions, "tokenHash");

export function sessionStore({ read, write }: Connection): SessionStore {
  return {
    add: (session, proof) => write((tx) => addSession(tx, session, proof)),
    findByHash: (tokenHash) => read((db) => first(sessionByHash(db, { tokenHash }))),
    find: (id) => read((db) => first(sessionById(db, { id }))),

    async listOfUser(userId, now) {
      const theirs = and(eq(sessions.userId, userId), not(hasEnded(now)));
      return read((db) => db.select(sessionColumns).from(sessions).where(theirs).orderBy(desc(sessions.id)));
    },

    touch: (id, at) => write((tx) => touch(tx, id, at)),
    confirm: (id, at) => write((tx) => confirm(tx, id, at)),
    revokeAll: (userId) => write((tx) => deleteSessions(tx, eq(sessions.userId, userId), userId)),

    async revoke(id, userId) {
      const own = and(eq(sessions.id, id), eq(sessions.userId, userId));
      return (await write((tx) => deleteSessions(tx, own, userId))) > 0;
    },

    deleteExpired: (now) => write((tx) => deleteRows(tx, sessions, hasEnded(now))),
  };
}

/** Adds a session of a user whose row is locked. */
export async function insertSession(tx: Drizzle, session: NewSession): Promise<Session> {
  await tx.update(users).set({ lastSeenAt: session.createdAt }).where(eq(users.id, session.userId));
  const row = { ...session, lastUsedAt: session.createdAt };
  return (await first(tx.insert(sessions).values(row).returning(sessionColumns))) as Session;
}

/** Ends sessions of a user, which ends their event streams. Returns their number. */
export async function deleteSessions(tx: Drizzle, which: SQL | undefined, userId: number): Promise<number> {
  const removed = await deleteRows(tx, sessions, which);
  if (removed > 0) await announce(tx, sessionsChanged(userId));
  return removed;
}

// --- internal ---

function selectWithUser(db: Drizzle) {
  return db
    .select({ session: sessionColumns, user: userColumns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId));
}

const sessionByHash = prepared((db) => selectWithUser(db).where(eq(sessions.tokenHash, sql.placeholder("tokenHash"))));
const sessionById = prepared((db) => selectWithUser(db).where(eq(sessions.id, sql.placeholder("id"))));

async function addSession(tx: Drizzle, session: NewSession, proof?: SignInProof): Promise<Session | null> {
  return (await mayBegin(tx, session.userId, proof)) ? insertSession(tx, session) : null;
}

/** Locks the user, so that a concurrent change of password or passkeys comes before the session, or ends it. */
async function mayBegin(tx: Drizzle, userId: number, proof: SignInProof | undefined): Promise<boolean> {
  const person = tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  const user = await first(person.for("update"));
  if (!user) return false;
  if (proof === undefined) return true;
  if ("passwordHash" in proof) return user.passwordHash === proof.passwordHash;
  if ("passkeyId" in proof) {
    return hasRow(tx, passkeys, and(eq(passkeys.id, proof.passkeyId), eq(passkeys.userId, userId)));
  }
  const redeemed = and(eq(deviceCodes.id, proof.deviceCodeId), eq(deviceCodes.verdict, "redeemed"));
  return hasRow(tx, deviceCodes, redeemed);
}

async function touch(tx: Drizzle, id: number, at: number): Promise<void> {
  const touched = tx.update(sessions).set({ lastUsedAt: at }).where(eq(sessions.id, id));
  const session = await first(touched.returning({ userId: sessions.userId }));
  if (session) await tx.update(users).set({ lastSeenAt: at }).where(eq(users.id, session.userId));
}

async function confirm(tx: Drizzle, id: number, at: number): Promise<boolean> {
  const confirmed = tx.update(sessions).set({ signedInAt: at }).where(eq(sessions.id, id));
  return (await first(confirmed.returning({ id: sessions.id }))) !== null;
}

function hasEnded(now: number): SQL {
  return sql`(${sessions.expiresAt} <= ${now} OR ${sessions.lastUsedAt} + ${sessions.idleLimit} <= ${now})`;
}
