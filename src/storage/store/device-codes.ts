import { and, eq, gt, lte } from "drizzle-orm";
import { decidePoll } from "../../domain/accounts/device-authorization.ts";
import type { DeviceCodeStore } from "../../domain/ports/store/device-codes.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { deleteRows, first } from "./rows.ts";
import { deviceCodes, sessions } from "./schema.ts";

const columns = columnsExcept(deviceCodes, "deviceCodeHash", "userCodeHash");

export function deviceCodeStore({ read, write }: Connection): DeviceCodeStore {
  return {
    async add(authorization) {
      const added = (tx: Drizzle) => tx.insert(deviceCodes).values(authorization).onConflictDoNothing();
      return write(async (tx) => (await first(added(tx).returning({ id: deviceCodes.id }))) !== null);
    },

    findByUserCode: (userCodeHash) =>
      read((db) => first(db.select(columns).from(deviceCodes).where(eq(deviceCodes.userCodeHash, userCodeHash)))),

    async resolve(id, verdict, sessionId, now) {
      const open = and(eq(deviceCodes.id, id), eq(deviceCodes.verdict, "pending"), gt(deviceCodes.expiresAt, now));
      return write(async (tx) => {
        // Locked, so that the session does not end before the verdict is stored.
        const session = tx.select({ userId: sessions.userId }).from(sessions).where(eq(sessions.id, sessionId));
        const person = await first(session.for("share"));
        if (!person) return false;
        const resolved = tx
          .update(deviceCodes)
          .set({ ...verdict, ...person })
          .where(open);
        return (await first(resolved.returning({ id: deviceCodes.id }))) !== null;
      });
    },

    async poll(deviceCodeHash, now) {
      // Anybody can poll with any code. A poll that changes nothing must not wait for a lock.
      const looked = decidePoll(await read((db) => first(selectByCode(db, deviceCodeHash))), now);
      if (looked.change === null) return looked.response;
      return write(async (tx) => {
        const found = await first(selectByCode(tx, deviceCodeHash).for("update"));
        const { response, change } = decidePoll(found, now);
        if (found && change) await tx.update(deviceCodes).set(change).where(eq(deviceCodes.id, found.id));
        return response;
      });
    },

    async deleteExpired(at) {
      const ended = lte(deviceCodes.expiresAt, at);
      return write((tx) => deleteRows(tx, deviceCodes, ended));
    },
  };
}

// --- internal ---

function selectByCode(db: Drizzle, deviceCodeHash: string) {
  return db.select(columns).from(deviceCodes).where(eq(deviceCodes.deviceCodeHash, deviceCodeHash));
}
