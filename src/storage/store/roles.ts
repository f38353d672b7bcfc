import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { GROUPS_HOLD_MS } from "../../domain/model/group.ts";
import type { Role } from "../../domain/model/role.ts";
import type { Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { first, rowsOf } from "./rows.ts";
import { type members, type readers, sites } from "./schema.ts";

// Subqueries name their tables, because Drizzle omits the name of a query's only table: `id` would then be that of the
// inner one.

/** A user and the time at which their groups are looked at. */
interface Person {
  readonly id: SQLWrapper;
  readonly now: SQLWrapper;
}

/** The person in the values of a prepared query. */
export const PERSON: Person = { id: sql`${sql.placeholder("userId")}`, now: sql`${sql.placeholder("now")}` };

export function personAt(userId: number, now: number): Person {
  return { id: sql`${userId}`, now: sql`${now}` };
}

/** The groups of a user that hold. */
export function groupsOf({ id, now }: Person): SQL {
  return sql`SELECT theirs.name FROM user_groups AS theirs WHERE theirs.user_id = ${id} AND ${holds("theirs", now)}`;
}

/** The role of a user on the site of a row, as its owner, a member or in a group: null for readers and strangers. */
export function memberRole(person: Person): SQL<Role | null> {
  return ownerOr(
    person.id,
    sql`SELECT role FROM members WHERE members.site_id = sites.id
      AND (members.user_id = ${person.id} OR members.group_name IN (${groupsOf(person)}))
      ORDER BY role = 'maintainer' DESC LIMIT 1`,
  );
}

/** Like `memberRole`, without groups: the role of tokens and publishers that the user made. */
export function ownRole(userId: SQLWrapper): SQL<Role | null> {
  return ownerOr(
    userId,
    sql`SELECT role FROM members WHERE members.site_id = sites.id AND members.user_id = ${userId}`,
  );
}

/** Whether a user is on the site's list of readers, or in a group that is. */
export function isReader(siteId: SQLWrapper, person: Person): SQL {
  return sql`EXISTS (SELECT 1 FROM readers WHERE readers.site_id = ${siteId}
    AND (readers.user_id = ${person.id} OR readers.group_name IN (${groupsOf(person)})))`;
}

/** Whether a user works on a site. Reads few rows, however many sites there are. */
export function worksOn(siteId: SQLWrapper, person: Person): SQL {
  return sql`${siteId} IN (
    SELECT own.id FROM ${sites} AS own WHERE own.owner_id = ${person.id}
    UNION ALL SELECT members.site_id FROM members WHERE members.user_id = ${person.id}
    UNION ALL SELECT members.site_id FROM members WHERE members.group_name IN (${groupsOf(person)}))`;
}

/** Returns the strongest role of a user on a site; null for none. */
export async function findRole(db: Drizzle, siteId: number, userId: number, now: number): Promise<Role | null> {
  return (await first(roleOfUser(db, { siteId, userId, now })))?.role ?? null;
}

/** Returns the role of a user on a site that does not come from a group; null for none. */
export async function findOwnRole(db: Drizzle, siteId: number, userId: number): Promise<Role | null> {
  const role = ownRole(sql`${userId}`);
  return (await first(db.select({ role }).from(sites).where(eq(sites.id, siteId))))?.role ?? null;
}

/** Returns the users in a list of a site at a time, those of groups included. */
export async function idsIn(
  db: Drizzle,
  list: typeof members | typeof readers,
  siteId: number,
  now: number,
): Promise<number[]> {
  const held = sql`JOIN user_groups AS held ON held.name = listed.group_name AND ${holds("held", sql`${now}`)}`;
  const rows = rowsOf<{ id: string }>(
    db,
    sql`SELECT listed.user_id AS id FROM ${list} AS listed WHERE listed.site_id = ${siteId} AND listed.user_id IS NOT NULL
      UNION SELECT held.user_id FROM ${list} AS listed ${held} WHERE listed.site_id = ${siteId} ORDER BY id`,
  );
  return (await rows).map(({ id }) => Number(id));
}

/** Returns the users whom a sign-in told to be in one of the groups, at any time. */
export async function idsOfGroups(db: Drizzle, names: SQL): Promise<number[]> {
  const rows = rowsOf<{ id: string }>(
    db,
    sql`SELECT DISTINCT user_id AS id FROM user_groups WHERE name IN (${names}) ORDER BY id`,
  );
  return (await rows).map(({ id }) => Number(id));
}

// --- internal ---

function holds(table: string, now: SQLWrapper): SQL {
  return sql`${sql.identifier(table)}.told_at + ${sql.raw(String(GROUPS_HOLD_MS))} > ${now}`;
}

function ownerOr(userId: SQLWrapper, otherwise: SQL): SQL<Role | null> {
  return sql<Role | null>`CASE WHEN sites.owner_id = ${userId} THEN 'owner' ELSE (${otherwise}) END`;
}

const roleOfUser = prepared((db) => {
  const reader = sql`CASE WHEN ${isReader(sql`sites.id`, PERSON)} THEN 'reader' END`;
  const role = sql<Role | null>`coalesce(${memberRole(PERSON)}, ${reader})`;
  return db
    .select({ role })
    .from(sites)
    .where(eq(sites.id, sql.placeholder("siteId")));
});
