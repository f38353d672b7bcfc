import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { TokenStore } from "../../../domain/ports/store/tokens.ts";
import type { Connection } from "./connection.ts";
import { deploymentTokens, sites, users } from "./schema.ts";

const tokenColumns = {
  id: deploymentTokens.id,
  siteId: deploymentTokens.siteId,
  siteName: sites.name,
  ownerId: sites.ownerId,
  name: deploymentTokens.name,
  createdAt: deploymentTokens.createdAt,
  expiresAt: deploymentTokens.expiresAt,
  lastUsedAt: deploymentTokens.lastUsedAt,
  ownerFrozen: users.frozen,
};

export function tokenStore({ db, write }: Connection): TokenStore {
  const tokens = () =>
    db
      .select(tokenColumns)
      .from(deploymentTokens)
      .innerJoin(sites, eq(sites.id, deploymentTokens.siteId))
      .innerJoin(users, eq(users.id, sites.ownerId));
  const findByHash = tokens()
    .where(eq(deploymentTokens.tokenHash, sql.placeholder("tokenHash")))
    .prepare();

  return {
    async add(token) {
      await write((tx) => tx.insert(deploymentTokens).values(token).run());
    },

    async findByHash(tokenHash) {
      return findByHash.get({ tokenHash }) ?? null;
    },

    async listOfOwner(ownerId) {
      return tokens().where(eq(sites.ownerId, ownerId)).orderBy(desc(deploymentTokens.createdAt)).all();
    },

    async revoke(id, ownerId) {
      return write((tx) => {
        const ownSites = tx.select({ id: sites.id }).from(sites).where(eq(sites.ownerId, ownerId));
        const theirs = and(eq(deploymentTokens.id, id), inArray(deploymentTokens.siteId, ownSites));
        return tx.delete(deploymentTokens).where(theirs).returning({ id: deploymentTokens.id }).all().length > 0;
      });
    },

    async touch(id, at) {
      await write((tx) => tx.update(deploymentTokens).set({ lastUsedAt: at }).where(eq(deploymentTokens.id, id)).run());
    },
  };
}
