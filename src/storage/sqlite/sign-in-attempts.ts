import { and, eq, gt, lte } from "drizzle-orm";
import type { SignInAttemptStore } from "../../domain/ports/store/sign-in-attempts.ts";
import type { Connection } from "./connection.ts";
import { signInAttempts } from "./schema.ts";

export function signInAttemptStore({ db, write }: Connection): SignInAttemptStore {
  const ofSecret = (secretHash: string) => eq(signInAttempts.secretHash, secretHash);
  return {
    async add(attempt) {
      await write((tx) => tx.insert(signInAttempts).values(attempt).run());
    },

    async find(secretHash, now) {
      const open = and(ofSecret(secretHash), gt(signInAttempts.expiresAt, now));
      return db.select().from(signInAttempts).where(open).get() ?? null;
    },

    async take(secretHash, now) {
      const taken = await write((tx) => tx.delete(signInAttempts).where(ofSecret(secretHash)).returning().get());
      return taken !== undefined && taken.expiresAt > now ? taken : null;
    },

    async claimPoll(secretHash, now, nextPollAt) {
      const due = and(ofSecret(secretHash), lte(signInAttempts.nextPollAt, now));
      return write((tx) => tx.update(signInAttempts).set({ nextPollAt }).where(due).returning().get() !== undefined);
    },

    async replace(secretHash, sealed, nextPollAt) {
      await write((tx) => tx.update(signInAttempts).set({ sealed, nextPollAt }).where(ofSecret(secretHash)).run());
    },

    async deleteExpired(now) {
      const ended = lte(signInAttempts.expiresAt, now);
      return write((tx) => tx.delete(signInAttempts).where(ended).returning().all().length);
    },
  };
}
