import { and, asc, count, eq, isNotNull, lte } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { Publisher } from "../../domain/model/publisher.ts";
import type { PublisherStore } from "../../domain/ports/store/publishers.ts";
import { appendEntry } from "./audit.ts";
import type { Connection } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { deploymentTokens, publishers, usedIdTokens } from "./schema.ts";

export function publisherStore({ db, write, announce }: Connection): PublisherStore {
  return {
    async add(publisher, most) {
      const added = write((tx) => {
        const ofSite = eq(publishers.siteId, publisher.siteId);
        const there = tx.select({ total: count() }).from(publishers).where(ofSite).get();
        if ((there?.total ?? 0) >= most) return false;
        tx.insert(publishers).values(publisher).run();
        announce(accessChanged(publisher.siteId));
        return true;
      });
      return addingTo("site", added);
    },

    async listOfSite(siteId) {
      const rows = db.select().from(publishers).where(eq(publishers.siteId, siteId));
      return rows.orderBy(asc(publishers.createdAt), asc(publishers.id)).all().map(toPublisher);
    },

    async delete(siteId, id) {
      const one = and(eq(publishers.siteId, siteId), eq(publishers.id, id));
      return write((tx) => {
        const isRemoved = tx.delete(publishers).where(one).returning({ id: publishers.id }).all().length > 0;
        if (isRemoved) announce(accessChanged(siteId));
        return isRemoved;
      });
    },

    async exchange({ publisherId, ids, idTokenHash, idTokenEndsAt, token, audit }) {
      return write((tx) => {
        const row = tx.select().from(publishers).where(eq(publishers.id, publisherId)).get();
        const pinned = row && toPublisher(row).pinned;
        const isOther = pinned && (pinned.repositoryId !== ids.repositoryId || pinned.ownerId !== ids.ownerId);
        if (!row || isOther || row.siteId !== token.siteId) return "changed";
        const used = tx.insert(usedIdTokens).values({ tokenHash: idTokenHash, endsAt: idTokenEndsAt });
        if (used.onConflictDoNothing().returning().all().length === 0) return "replayed";
        tx.insert(deploymentTokens)
          .values({ ...token, publisherId })
          .run();
        tx.update(publishers)
          .set({ ...ids, lastUsedAt: token.createdAt })
          .where(eq(publishers.id, publisherId))
          .run();
        appendEntry(tx, audit);
        return "exchanged";
      });
    },

    async deleteUsedIdTokens(now) {
      return write((tx) => tx.delete(usedIdTokens).where(lte(usedIdTokens.endsAt, now)).returning().all().length);
    },

    async deleteTokens(expiredBefore) {
      const over = and(isNotNull(deploymentTokens.publisherId), lte(deploymentTokens.expiresAt, expiredBefore));
      return write((tx) => tx.delete(deploymentTokens).where(over).returning({ id: deploymentTokens.id }).all().length);
    },
  };
}

// --- internal ---

function toPublisher({ repositoryId, ownerId, ...row }: typeof publishers.$inferSelect): Publisher {
  return { ...row, pinned: repositoryId !== null && ownerId !== null ? { repositoryId, ownerId } : null };
}
