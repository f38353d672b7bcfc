import { and, eq, gt, lte } from "drizzle-orm";
import { decidePoll } from "../../domain/accounts/device-authorization.ts";
import type { DeviceCodeStore } from "../../domain/ports/store/device-codes.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { deviceCodes, sessions } from "./schema.ts";

const columns = columnsExcept(deviceCodes, "deviceCodeHash", "userCodeHash");

export function deviceCodeStore({ db, write }: Connection): DeviceCodeStore {
  return {
    async add(authorization) {
      return write((tx) => {
        const added = tx
          .insert(deviceCodes)
          .values(authorization)
          .onConflictDoNothing()
          .returning({ id: deviceCodes.id });
        return added.get() !== undefined;
      });
    },

    async findByUserCode(userCodeHash) {
      return db.select(columns).from(deviceCodes).where(eq(deviceCodes.userCodeHash, userCodeHash)).get() ?? null;
    },

    async resolve(id, verdict, sessionId, now) {
      const open = and(eq(deviceCodes.id, id), eq(deviceCodes.verdict, "pending"), gt(deviceCodes.expiresAt, now));
      return write((tx) => {
        const person = tx.select({ userId: sessions.userId }).from(sessions).where(eq(sessions.id, sessionId)).get();
        if (!person) return false;
        const resolved = tx
          .update(deviceCodes)
          .set({ ...verdict, ...person })
          .where(open)
          .returning({ id: deviceCodes.id });
        return resolved.get() !== undefined;
      });
    },

    async poll(deviceCodeHash, now) {
      const find = (from: Drizzle) =>
        from.select(columns).from(deviceCodes).where(eq(deviceCodes.deviceCodeHash, deviceCodeHash)).get() ?? null;
      // Anybody can poll with any code. A poll that changes nothing must not wait for the writer.
      const looked = decidePoll(find(db), now);
      if (looked.change === null) return looked.answer;
      return write((tx) => {
        const found = find(tx);
        const { answer, change } = decidePoll(found, now);
        if (found && change) tx.update(deviceCodes).set(change).where(eq(deviceCodes.id, found.id)).run();
        return answer;
      });
    },

    async deleteExpired(at) {
      const ended = lte(deviceCodes.expiresAt, at);
      return write((tx) => tx.delete(deviceCodes).where(ended).returning({ id: deviceCodes.id }).all().length);
    },
  };
}
