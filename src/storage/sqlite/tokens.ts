import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { accessChanged } from "../../domain/events/changes.ts";
import type { TokenStore } from "../../domain/ports/store/tokens.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { deploymentTokens, sites, users } from "./schema.ts";

const ofSite = { siteName: sites.name, ownerId: sites.ownerId, ownerFrozen: users.frozen };
const tokenColumns = { ...columnsExcept(deploymentTokens, "tokenHash", "publisherId"), ...ofSite };

export function tokenStore({ db, write, announce }: Connection): TokenStore {
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
      const added = write((tx) => {
        tx.insert(deploymentTokens).values(token).run();
        announce(accessChanged(token.siteId));
      });
      await addingTo("site", added);
    },

    async findByHash(tokenHash) {
      return findByHash.get({ tokenHash }) ?? null;
    },

    async listOfOwner(ownerId) {
      const created = and(eq(sites.ownerId, ownerId), isNull(deploymentTokens.publisherId));
      return tokens().where(created).orderBy(desc(deploymentTokens.createdAt)).all();
    },

    async revoke(id, ownerId) {
      return write((tx) => {
        const token = tx
          .select({ siteId: sites.id, siteName: sites.name })
          .from(deploymentTokens)
          .innerJoin(sites, eq(sites.id, deploymentTokens.siteId))
          .where(and(eq(deploymentTokens.id, id), eq(sites.ownerId, ownerId)))
          .get();
        if (token === undefined) return null;
        tx.delete(deploymentTokens).where(eq(deploymentTokens.id, id)).run();
        announce(accessChanged(token.siteId));
        return token.siteName;
      });
    },

    async touch(id, at) {
      await write((tx) => tx.update(deploymentTokens).set({ lastUsedAt: at }).where(eq(deploymentTokens.id, id)).run());
    },
  };
}
