import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { TokenStore } from "../../domain/ports/store/tokens.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { announce } from "./live-events.ts";
import { prepared } from "./prepared.ts";
import { first } from "./rows.ts";
import { deploymentTokens, sites, users } from "./schema.ts";

const ofSite = { siteName: sites.name, ownerId: sites.ownerId, ownerFrozen: users.frozen };
const tokenColumns = { ...columnsExcept(deploymentTokens, "tokenHash", "publisherId"), ...ofSite };

function selectTokens(db: Drizzle) {
  return db
    .select(tokenColumns)
    .from(deploymentTokens)
    .innerJoin(sites, eq(sites.id, deploymentTokens.siteId))
    .innerJoin(users, eq(users.id, sites.ownerId));
}

const tokenByHash = prepared((db) =>
  selectTokens(db).where(eq(deploymentTokens.tokenHash, sql.placeholder("tokenHash"))),
);

export function tokenStore({ read, write }: Connection): TokenStore {
  return {
    async add(token) {
      const added = write(async (tx) => {
        await tx.insert(deploymentTokens).values(token);
        await announce(tx, accessChanged(token.siteId));
      });
      await addingTo("site", added);
    },

    findByHash: (tokenHash) => read((db) => first(tokenByHash(db, { tokenHash }))),

    async listOfOwner(ownerId) {
      const created = and(eq(sites.ownerId, ownerId), isNull(deploymentTokens.publisherId));
      return read((db) => selectTokens(db).where(created).orderBy(desc(deploymentTokens.createdAt)));
    },

    async revoke(id, ownerId) {
      return write(async (tx) => {
        const owned = tx.select({ id: sites.id }).from(sites).where(eq(sites.ownerId, ownerId));
        const theirs = and(eq(deploymentTokens.id, id), inArray(deploymentTokens.siteId, owned));
        const token = await first(
          tx.delete(deploymentTokens).where(theirs).returning({ siteId: deploymentTokens.siteId }),
        );
        if (token === null) return null;
        await announce(tx, accessChanged(token.siteId));
        const site = await first(tx.select({ name: sites.name }).from(sites).where(eq(sites.id, token.siteId)));
        return site?.name ?? null;
      });
    },

    async touch(id, at) {
      await write((tx) => tx.update(deploymentTokens).set({ lastUsedAt: at }).where(eq(deploymentTokens.id, id)));
    },
  };
}
