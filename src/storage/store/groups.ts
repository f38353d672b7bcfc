import { and, asc, count, eq, gt, gte, type SQL, sql } from "drizzle-orm";
import { groupsChanged } from "../../domain/events/changes.ts";
import { GROUPS_HOLD_MS, type ToldGroups } from "../../domain/model/group.ts";
import type { SignedIn } from "../../domain/model/user.ts";
import type { GroupStore } from "../../domain/ports/store/groups.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { groupsOf, personAt } from "./roles.ts";
import { first, hasRow } from "./rows.ts";
import { groupReports, members, readers, userGroups, users } from "./schema.ts";
import { isAnyOf } from "./sql.ts";

export function groupStore({ read }: Connection): GroupStore {
  return {
    ofUser: (userId, now) =>
      read(async (db) => {
        const columns = { at: groupReports.at, outcome: groupReports.outcome };
        const lastSignIn = await first(db.select(columns).from(groupReports).where(eq(groupReports.userId, userId)));
        if (lastSignIn === null) return null;
        const held = await heldBy(db, userId, now);
        return { names: held.map(({ name }) => name), toldAt: held[0]?.toldAt ?? null, lastSignIn };
      }),

    countReports: (since) =>
      read(async (db) => {
        const { at, outcome } = groupReports;
        const byOutcome = db.select({ outcome, users: count() }).from(groupReports).where(gte(at, since));
        const rows = await byOutcome.groupBy(outcome);
        return { ...NO_REPORTS, ...Object.fromEntries(rows.map((row) => [row.outcome, row.users])) };
      }),
  };
}

/** Stores what a sign-in told. Groups that were told before stay until they no longer hold, if these are unknown. */
export async function saveGroups(tx: Drizzle, userId: number, told: ToldGroups, at: number): Promise<void> {
  const { outcome } = told;
  const report = { at, outcome };
  const { userId: target } = groupReports;
  await tx
    .insert(groupReports)
    .values({ userId, ...report })
    .onConflictDoUpdate({ target, set: report });
  if (!("names" in told)) return;
  const before = (await heldBy(tx, userId, at)).map(({ name }) => name);
  await tx.delete(userGroups).where(eq(userGroups.userId, userId));
  const rows = told.names.map((name) => ({ userId, name, toldAt: at }));
  if (rows.length > 0) await tx.insert(userGroups).values(rows);
  // Their other sessions see other sites now.
  if (new Set(before).symmetricDifference(new Set(told.names)).size > 0) await announce(tx, groupsChanged([userId]));
}

/**
 * Stores what a refused sign-in told. A user who left their only group may no longer sign in, but the role in their
 * other sessions must end too.
 */
export async function replaceGroups(tx: Drizzle, userId: number, { groups }: SignedIn, at: number): Promise<void> {
  const user = await first(tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update"));
  if (user && groups) await saveGroups(tx, user.id, groups, at);
}

/** Returns whether somebody who signs in has a role on any site through a group. */
export async function hasGroupRole(
  db: Drizzle,
  { groups }: Pick<SignedIn, "groups">,
  userId: number | null,
  now: number,
): Promise<boolean> {
  if (groups === undefined) return false;
  const isTheirs = (name: typeof members.group | typeof readers.group): SQL =>
    "names" in groups ? isAnyOf(name, groups.names, "text") : sql`${name} IN (${groupsOf(personAt(userId ?? 0, now))})`;
  return (await hasRow(db, members, isTheirs(members.group))) || hasRow(db, readers, isTheirs(readers.group));
}

// --- internal ---

const NO_REPORTS = { told: 0, absent: 0, overage: 0, too_many: 0, unreadable: 0 };

function heldBy(db: Drizzle, userId: number, now: number) {
  const { name, toldAt } = userGroups;
  const holding = and(eq(userGroups.userId, userId), gt(toldAt, now - GROUPS_HOLD_MS));
  return db.select({ name, toldAt }).from(userGroups).where(holding).orderBy(asc(name));
}
