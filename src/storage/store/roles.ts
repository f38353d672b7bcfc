import { and, asc, eq, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Role } from "../../domain/model/role.ts";
import type { Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { first } from "./rows.ts";
import { members, readers, sites } from "./schema.ts";

/** The role of a user on the site of a row, as an owner or a member: null for readers and strangers. */
export function memberRole(userId: SQL): SQL<Role | null> {
  return sql<Role | null>`CASE WHEN ${sites.ownerId} = ${userId} THEN 'owner' ELSE (
    SELECT ${members.role} FROM ${members}
    WHERE ${members.siteId} = ${sites.id} AND ${members.userId} = ${userId}) END`;
}

/** Whether a user works on a site. Reads few rows, however many sites there are. */
export function worksOn(siteId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`${siteId} IN (
    SELECT own.id FROM ${sites} AS own WHERE own.owner_id = ${userId}
    UNION ALL SELECT site_id FROM ${members} WHERE user_id = ${userId})`;
}

/** Returns the strongest role of a user on a site; null for none. */
export async function findRole(db: Drizzle, siteId: number, userId: number): Promise<Role | null> {
  return (await first(roleOfUser(db, { siteId, userId })))?.role ?? null;
}

/** Returns the owner and the members of a site. */
export async function memberIdsOf(db: Drizzle, siteId: number, ownerId: number): Promise<number[]> {
  const ofSite = and(eq(members.siteId, siteId), isNotNull(members.userId));
  const rows = await db.select({ id: members.userId }).from(members).where(ofSite).orderBy(asc(members.userId));
  return [ownerId, ...rows.map(({ id }) => id as number)];
}

// --- internal ---

/**
 * A join, because Drizzle writes the columns of a single table without its name: in a subquery, `id` would then be that of
 * the inner table.
 */
const roleOfUser = prepared((db) => {
  const userId = sql.placeholder("userId");
  const role = sql<Role | null>`coalesce(${memberRole(sql`${userId}`)},
    CASE WHEN ${readers.userId} IS NOT NULL THEN 'reader' END)`;
  return db
    .select({ role })
    .from(sites)
    .leftJoin(readers, and(eq(readers.siteId, sites.id), eq(readers.userId, userId)))
    .where(eq(sites.id, sql.placeholder("siteId")));
});
