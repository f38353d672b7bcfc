import { and, asc, eq, getTableColumns, lt, ne, type SQL } from "drizzle-orm";
import type { NewPasskey, PasskeyStore, Removal } from "../../domain/ports/store/passkeys.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { countOf, countRows, first, hasRow } from "./rows.ts";
import { passkeys, users } from "./schema.ts";
import { replacePassword, userColumns } from "./users.ts";

export function passkeyStore({ read, write }: Connection): PasskeyStore {
  return {
    add: (passkey, most) => write((tx) => addPasskey(tx, passkey, most)),

    async listOfUser(userId) {
      const oldestFirst = [asc(passkeys.createdAt), asc(passkeys.id)];
      return read((db) =>
        db
          .select()
          .from(passkeys)
          .where(eq(passkeys.userId, userId))
          .orderBy(...oldestFirst),
      );
    },

    async findByCredential(credentialId) {
      return read((db) =>
        first(
          db
            .select({ passkey: getTableColumns(passkeys), user: userColumns })
            .from(passkeys)
            .innerJoin(users, eq(users.id, passkeys.userId))
            .where(eq(passkeys.credentialId, credentialId)),
        ),
      );
    },

    async rename(id, userId, name) {
      return write((tx) => first(tx.update(passkeys).set({ name }).where(isOf(id, userId)).returning()));
    },

    async recordUse(id, { counter, at }) {
      const isNew = counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter);
      const used = and(eq(passkeys.id, id), isNew);
      return write(async (tx) => {
        const recorded = tx.update(passkeys).set({ counter, lastUsedAt: at }).where(used);
        return (await countRows(recorded.returning({ id: passkeys.id }))) > 0;
      });
    },

    remove: (id, userId, relyingPartyId) => write((tx) => removePasskey(tx, id, userId, relyingPartyId)),

    removePassword: (userId, keptSession, relyingPartyId) =>
      write((tx) => removePassword(tx, userId, keptSession, relyingPartyId)),
  };
}

// --- internal ---

/** Selects the passkeys with which a user can sign in to a relying party; without one, there are none. */
function isUsableBy(userId: number, relyingPartyId: string | null): SQL | undefined {
  return and(eq(passkeys.userId, userId), eq(passkeys.relyingPartyId, relyingPartyId ?? ""));
}

function isOf(id: string, userId: number): SQL | undefined {
  return and(eq(passkeys.id, id), eq(passkeys.userId, userId));
}

/** Locks the user, so that concurrent changes cannot exceed the limit or remove the last way in. */
async function lockUser(tx: Drizzle, userId: number): Promise<{ readonly hasPassword: boolean } | null> {
  const user = tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  const locked = await first(user.for("update"));
  return locked && { hasPassword: locked.passwordHash !== null };
}

async function addPasskey(tx: Drizzle, passkey: NewPasskey, most: number): ReturnType<PasskeyStore["add"]> {
  if (!(await lockUser(tx, passkey.userId))) return "missing";
  if ((await countOf(tx, passkeys, eq(passkeys.userId, passkey.userId))) >= most) return "too_many";
  const added = tx.insert(passkeys).values(passkey).onConflictDoNothing().returning({ id: passkeys.id });
  return (await countRows(added)) > 0 ? "added" : "taken";
}

async function removePasskey(tx: Drizzle, id: string, userId: number, relyingPartyId: string | null): Promise<Removal> {
  const user = await lockUser(tx, userId);
  const passkey = await first(tx.select().from(passkeys).where(isOf(id, userId)));
  if (!user || !passkey) return "missing";
  const isWayIn = passkey.relyingPartyId === relyingPartyId;
  const others = and(isUsableBy(userId, relyingPartyId), ne(passkeys.id, id));
  if (isWayIn && !user.hasPassword && !(await hasRow(tx, passkeys, others))) return "last_way_in";
  await tx.delete(passkeys).where(isOf(id, userId));
  return "removed";
}

async function removePassword(
  tx: Drizzle,
  userId: number,
  keptSession: number,
  relyingPartyId: string | null,
): Promise<Removal> {
  const user = await lockUser(tx, userId);
  if (!user?.hasPassword) return "missing";
  if (!(await hasRow(tx, passkeys, isUsableBy(userId, relyingPartyId)))) return "last_way_in";
  await replacePassword(tx, eq(users.id, userId), { id: userId, passwordHash: null, keptSession });
  return "removed";
}
