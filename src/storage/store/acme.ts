import { and, eq, gte, lt } from "drizzle-orm";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import { DAY } from "../../domain/timestamp.ts";
import { affectingNobody, type Connection } from "./connection.ts";
import { countOf, first } from "./rows.ts";
import { acmeAccounts, acmeChallenges, acmeOrders } from "./schema.ts";

/** The longest window that orders are counted over is the CA's three hours. */
const ORDERS_KEPT = DAY;

/** Without the values of a challenge, which a node answers from its replica. */
export function acmeStore({ read, write, writeRouting }: Connection): Omit<AcmeStore, "challengeValues"> {
  return {
    account: (directory) =>
      read((db) => first(db.select().from(acmeAccounts).where(eq(acmeAccounts.directory, directory)))),

    async saveAccount(account) {
      const saved = { target: acmeAccounts.directory, set: account };
      await write((tx) => tx.insert(acmeAccounts).values(account).onConflictDoUpdate(saved));
    },

    async publishChallenge(challenge) {
      const target = [acmeChallenges.type, acmeChallenges.name, acmeChallenges.value];
      const published = { target, set: { expiresAt: challenge.expiresAt } };
      await writeRouting(
        affectingNobody((tx) => tx.insert(acmeChallenges).values(challenge).onConflictDoUpdate(published)),
      );
    },

    async withdrawChallenge({ type, name, value }) {
      const one = and(eq(acmeChallenges.type, type), eq(acmeChallenges.name, name), eq(acmeChallenges.value, value));
      await writeRouting(affectingNobody((tx) => tx.delete(acmeChallenges).where(one)));
    },

    async deleteExpiredChallenges(now) {
      const expired = lt(acmeChallenges.expiresAt, now);
      await writeRouting(affectingNobody((tx) => tx.delete(acmeChallenges).where(expired)));
    },

    async countOrder(directory, at) {
      await write(async (tx) => {
        await tx.delete(acmeOrders).where(lt(acmeOrders.placedAt, at - ORDERS_KEPT));
        await tx.insert(acmeOrders).values({ directory, placedAt: at });
      });
    },

    async ordersSince(directory, since) {
      const recent = and(eq(acmeOrders.directory, directory), gte(acmeOrders.placedAt, since));
      return read((db) => countOf(db, acmeOrders, recent));
    },
  };
}
