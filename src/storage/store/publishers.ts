import { and, asc, eq, getTableColumns, isNotNull, lte, sql } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { NewPublisher, Publisher, RepositoryIds } from "../../domain/model/publisher.ts";
import type { Role } from "../../domain/model/role.ts";
import type { Exchange, ExchangeOutcome, PublisherStore } from "../../domain/ports/store/publishers.ts";
import { appendEntry } from "./audit.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { addingTo } from "./failures.ts";
import { announce, deleteAnnounced } from "./live-events.ts";
import { ownRole } from "./roles.ts";
import { countOf, deleteRows, first } from "./rows.ts";
import { deploymentTokens, publishers, sites, usedIdTokens } from "./schema.ts";

export function publisherStore({ read, write }: Connection): PublisherStore {
  return {
    add: (publisher, most) =>
      addingTo(
        "site",
        write((tx) => addPublisher(tx, publisher, most)),
      ),

    async listOfSite(siteId) {
      const ofSite = eq(publishers.siteId, siteId);
      const oldestFirst = [asc(publishers.createdAt), asc(publishers.id)];
      const rows = await read((db) =>
        db
          .select({ ...getTableColumns(publishers), makerRole: ownRole(sql`${publishers.makerId}`) })
          .from(publishers)
          .innerJoin(sites, eq(sites.id, publishers.siteId))
          .where(ofSite)
          .orderBy(...oldestFirst),
      );
      return rows.map(toPublisher);
    },

    delete(siteId, id) {
      const one = and(eq(publishers.siteId, siteId), eq(publishers.id, id));
      return write((tx) => deleteAnnounced(tx, publishers, one, accessChanged(siteId)));
    },

    exchange: (exchanged) => write((tx) => exchange(tx, exchanged)),

    async deleteUsedIdTokens(now) {
      const old = lte(usedIdTokens.endsAt, now);
      return write((tx) => deleteRows(tx, usedIdTokens, old));
    },

    async deleteTokens(expiredBefore) {
      const over = and(isNotNull(deploymentTokens.publisherId), lte(deploymentTokens.expiresAt, expiredBefore));
      return write((tx) => deleteRows(tx, deploymentTokens, over));
    },
  };
}

// --- internal ---

type PublisherRow = typeof publishers.$inferSelect & { readonly makerRole: Role | null };

async function addPublisher(tx: Drizzle, publisher: NewPublisher, most: number): Promise<boolean> {
  // Without the lock, two concurrent calls could exceed the limit. If the site was deleted, the foreign key refuses the
  // publisher.
  await lockSite(tx, publisher.siteId);
  if ((await countOf(tx, publishers, eq(publishers.siteId, publisher.siteId))) >= most) return false;
  await tx.insert(publishers).values(publisher);
  await announce(tx, accessChanged(publisher.siteId));
  return true;
}

/** Locks the publisher, so that the second of two concurrent first uses sees the ids that the first one pinned. */
async function exchange(
  tx: Drizzle,
  { publisherId, ids, idTokenHash, idTokenEndsAt, token, audit }: Exchange,
): Promise<ExchangeOutcome> {
  const one = eq(publishers.id, publisherId);
  const row = await first(tx.select().from(publishers).where(one).for("update"));
  const pinned = row && pinnedIds(row);
  const isOther = pinned && (pinned.repositoryId !== ids.repositoryId || pinned.ownerId !== ids.ownerId);
  if (!row || isOther || row.siteId !== token.siteId) return "changed";
  const used = tx.insert(usedIdTokens).values({ tokenHash: idTokenHash, endsAt: idTokenEndsAt });
  const isFirstUse = await first(used.onConflictDoNothing().returning({ hash: usedIdTokens.tokenHash }));
  if (!isFirstUse) return "replayed";
  await tx.insert(deploymentTokens).values({ ...token, publisherId });
  await tx
    .update(publishers)
    .set({ ...ids, lastUsedAt: token.createdAt })
    .where(one);
  await appendEntry(tx, audit);
  return "exchanged";
}

function toPublisher({ repositoryId, ownerId, ...publisher }: PublisherRow): Publisher {
  return { ...publisher, pinned: pinnedIds({ repositoryId, ownerId }) };
}

function pinnedIds({ repositoryId, ownerId }: Pick<PublisherRow, "repositoryId" | "ownerId">): RepositoryIds | null {
  return repositoryId !== null && ownerId !== null ? { repositoryId, ownerId } : null;
}
