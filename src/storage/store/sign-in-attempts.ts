import { and, eq, gt, lte } from "drizzle-orm";
import type { SignInAttemptStore } from "../../domain/ports/store/sign-in-attempts.ts";
import type { Connection } from "./connection.ts";
import { deleteRows, first } from "./rows.ts";
import { signInAttempts } from "./schema.ts";

export function signInAttemptStore({ read, write }: Connection): SignInAttemptStore {
  const ofSecret = (secretHash: string) => eq(signInAttempts.secretHash, secretHash);
  const secret = { secretHash: signInAttempts.secretHash };
  return {
    async add(attempt) {
      await write((tx) => tx.insert(signInAttempts).values(attempt));
    },

    async find(secretHash, now) {
      const open = and(ofSecret(secretHash), gt(signInAttempts.expiresAt, now));
      return read((db) => first(db.select().from(signInAttempts).where(open)));
    },

    async take(secretHash, now) {
      const taken = await write((tx) => first(tx.delete(signInAttempts).where(ofSecret(secretHash)).returning()));
      return taken !== null && taken.expiresAt > now ? taken : null;
    },

    async claimPoll(secretHash, now, nextPollAt) {
      const due = and(ofSecret(secretHash), lte(signInAttempts.nextPollAt, now));
      return write(async (tx) => {
        const claimed = tx.update(signInAttempts).set({ nextPollAt }).where(due).returning(secret);
        return (await first(claimed)) !== null;
      });
    },

    async replace(secretHash, sealed, nextPollAt) {
      await write((tx) => tx.update(signInAttempts).set({ sealed, nextPollAt }).where(ofSecret(secretHash)));
    },

    async deleteExpired(now) {
      const ended = lte(signInAttempts.expiresAt, now);
      return write((tx) => deleteRows(tx, signInAttempts, ended));
    },
  };
}
