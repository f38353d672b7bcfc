import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import { accessChanged } from "../../domain/events/changes.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import type { Role } from "../../domain/model/role.ts";
import type { TokenStore } from "../../domain/ports/store/tokens.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { addingTo } from "./failures.ts";
import { announce } from "./live-events.ts";
import { prepared } from "./prepared.ts";
import { memberRole, ownRole, personAt, worksOn } from "./roles.ts";
import { first } from "./rows.ts";
import { deploymentTokens, sites, users } from "./schema.ts";

const makerId = sql`${deploymentTokens.makerId}`;

const ofSite = {
  siteName: sites.name,
  ownerId: sites.ownerId,
  makerRole: ownRole(makerId),
  frozen: sql<Freeze | null>`coalesce(${users.frozen}, (
    SELECT frozen FROM users AS makers WHERE makers.id = ${makerId}))`.mapWith(users.frozen),
};
const tokenColumns = { ...columnsExcept(deploymentTokens, "tokenHash", "publisherId"), ...ofSite };

function selectTokens(db: Drizzle) {
  return joined(db.select(tokenColumns).from(deploymentTokens).$dynamic());
}

/** Joins tokens with their sites and the owners of these. */
function joined<Query extends PgSelect>(query: Query) {
  return query.innerJoin(sites, eq(sites.id, deploymentTokens.siteId)).innerJoin(users, eq(users.id, sites.ownerId));
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

    async listOfMember(userId, now) {
      const person = personAt(userId, now);
      const role = memberRole(person);
      const made = and(worksOn(sites.id, person), isNull(deploymentTokens.publisherId));
      const tokens = (db: Drizzle) =>
        joined(
          db
            .select({ ...tokenColumns, role })
            .from(deploymentTokens)
            .$dynamic(),
        );
      const rows = await read((db) => tokens(db).where(made).orderBy(desc(deploymentTokens.createdAt)));
      return rows.map((row) => ({ ...row, role: row.role as Role }));
    },

    find: (id) => read((db) => first(selectTokens(db).where(eq(deploymentTokens.id, id)))),

    async delete(id) {
      return write(async (tx) => {
        const one = tx.delete(deploymentTokens).where(eq(deploymentTokens.id, id));
        const token = await first(one.returning({ siteId: deploymentTokens.siteId }));
        if (token) await announce(tx, accessChanged(token.siteId));
        return token !== null;
      });
    },

    async touch(id, at) {
      await write((tx) => tx.update(deploymentTokens).set({ lastUsedAt: at }).where(eq(deploymentTokens.id, id)));
    },
  };
}
