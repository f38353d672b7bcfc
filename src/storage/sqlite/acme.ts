import { and, count, eq, gte, lt } from "drizzle-orm";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import { DAY } from "../../domain/timestamp.ts";
import type { Connection } from "./connection.ts";
import { acmeAccounts, acmeChallenges, acmeOrders } from "./schema.ts";

/** The longest window in which a CA counts orders is three hours. */
const ORDERS_KEPT = DAY;

export function acmeStore({ raw, db, write }: Connection): AcmeStore {
  // Prepared once, because anybody can cause it: for every request below /.well-known/acme-challenge/ and every DNS
  // query.
  const values = raw.prepare<{ value: string }, [string, string, number]>(
    "SELECT value FROM acme_challenges WHERE type = ? AND name = ? AND expires_at > ?",
  );

  return {
    async account(directory) {
      return db.select().from(acmeAccounts).where(eq(acmeAccounts.directory, directory)).get() ?? null;
    },

    async saveAccount(account) {
      const conflict = { target: acmeAccounts.directory, set: account };
      await write((tx) => tx.insert(acmeAccounts).values(account).onConflictDoUpdate(conflict).run());
    },

    async publishChallenge(challenge) {
      const conflict = {
        target: [acmeChallenges.type, acmeChallenges.name, acmeChallenges.value],
        set: { expiresAt: challenge.expiresAt },
      };
      await write((tx) => tx.insert(acmeChallenges).values(challenge).onConflictDoUpdate(conflict).run());
    },

    async withdrawChallenge({ type, name, value }) {
      const one = and(eq(acmeChallenges.type, type), eq(acmeChallenges.name, name), eq(acmeChallenges.value, value));
      await write((tx) => tx.delete(acmeChallenges).where(one).run());
    },

    challengeValues(type, name, now) {
      return values.all(type, name, now).map((row) => row.value);
    },

    async deleteExpiredChallenges(now) {
      await write((tx) => tx.delete(acmeChallenges).where(lt(acmeChallenges.expiresAt, now)).run());
    },

    async countOrder(directory, at) {
      await write((tx) => {
        tx.delete(acmeOrders)
          .where(lt(acmeOrders.placedAt, at - ORDERS_KEPT))
          .run();
        tx.insert(acmeOrders).values({ directory, placedAt: at }).run();
      });
    },

    async ordersSince(directory, since) {
      const recent = and(eq(acmeOrders.directory, directory), gte(acmeOrders.placedAt, since));
      return db.select({ total: count() }).from(acmeOrders).where(recent).get()?.total ?? 0;
    },
  };
}
