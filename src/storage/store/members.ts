import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { deletedMeanwhile } from "../../domain/errors.ts";
import { accessChanged, memberRemoved, peopleAdded, peopleRemoved } from "../../domain/events/changes.ts";
import { isMember, type MemberRole } from "../../domain/model/role.ts";
import {
  MAX_MEMBER_GROUPS,
  MAX_MEMBERS,
  type Member,
  type MemberChange,
  type MemberRef,
  type MemberStore,
  type NewMember,
} from "../../domain/ports/store/members.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { findRole, idsOfGroups } from "./roles.ts";
import { deleteRows, first } from "./rows.ts";
import { members, sites, users } from "./schema.ts";
import { ignoringCase } from "./sql.ts";
import { findBySubject, recognize } from "./users.ts";

export function memberStore({ read, write }: Connection): MemberStore {
  return {
    list: (siteId) => read((db) => membersOf(db, eq(members.siteId, siteId))),
    set: (siteId, member, change) => write((tx) => setMember(tx, siteId, member, change)),
    remove: (siteId, member, at) => write((tx) => removeMember(tx, siteId, member, at)),
  };
}

/**
 * Makes a user who was just added a member of a site, in the transaction that added them. Returns false if the site was
 * deleted or has as many members as it may have.
 */
export async function addNewUser(
  tx: Drizzle,
  siteId: number,
  userId: number,
  change: { readonly role: MemberRole; readonly addedBy: number | null; readonly at: number },
): Promise<boolean> {
  const site = await lockSiteRow(tx, siteId);
  if (!site || (await membersOf(tx, eq(members.siteId, siteId))).length >= MAX_MEMBERS) return false;
  await insertMember(tx, siteId, { userId }, change);
  return true;
}

// --- internal ---

function lockSiteRow(tx: Drizzle, siteId: number): Promise<{ ownerId: number; name: string } | null> {
  const site = tx.select({ ownerId: sites.ownerId, name: sites.name }).from(sites).where(eq(sites.id, siteId));
  return first(site.for("update"));
}

async function insertMember(
  tx: Drizzle,
  siteId: number,
  ref: MemberRef,
  { role, addedBy, at }: Parameters<typeof addNewUser>[3],
): Promise<void> {
  await tx.insert(members).values({ siteId, ...ref, role, addedAt: at, addedBy });
  await announce(tx, peopleAdded(siteId, await idsOf(tx, ref)));
}

function membersOf(db: Drizzle, which: SQL | undefined): Promise<Member[]> {
  const adder = sql<string | null>`(SELECT login FROM users AS adders WHERE adders.id = ${members.addedBy})`;
  return db
    .select({
      userId: members.userId,
      name: sql<string>`coalesce(${users.login}, ${members.group})`,
      role: members.role,
      addedAt: members.addedAt,
      addedBy: adder,
    })
    .from(members)
    .leftJoin(users, eq(users.id, members.userId))
    .where(which)
    .orderBy(sql`${members.userId} IS NULL`, ignoringCase(users.login), asc(members.group));
}

async function setMember(
  tx: Drizzle,
  siteId: number,
  member: NewMember,
  change: Parameters<MemberStore["set"]>[2],
): Promise<MemberChange> {
  const { role, at } = change;
  // Otherwise an invitation could be removed while it becomes a member.
  if ("identity" in member) await takeLock(tx, `people of ${member.identity.provider}`);
  const site = await lockSiteRow(tx, siteId);
  if (!site) throw deletedMeanwhile("site");
  const ref = await findRef(tx, member);
  if (ref && "userId" in ref && ref.userId === site.ownerId) return { outcome: "owner" };
  const known = ref && (await first(membersOf(tx, isMemberRef(siteId, ref))));
  if (ref && known) {
    await tx.update(members).set({ role }).where(isMemberRef(siteId, ref));
    await announce(tx, accessChanged(siteId));
    return { outcome: "changed", member: { ...known, role } };
  }
  const present = await membersOf(tx, eq(members.siteId, siteId));
  if (present.length >= MAX_MEMBERS) return { outcome: "too_many" };
  const isGroup = "group" in member;
  if (isGroup && present.filter(({ userId }) => userId === null).length >= MAX_MEMBER_GROUPS) {
    return { outcome: "too_many_groups" };
  }
  const added = ref ?? { userId: (await recognize(tx, (member as { identity: never }).identity, at)).id };
  await insertMember(tx, siteId, added, change);
  return { outcome: "added", member: (await membersOf(tx, isMemberRef(siteId, added)))[0] as Member };
}

/** Returns null for an identity without a user. Throws `not_found` if that was a local account. */
async function findRef(tx: Drizzle, member: NewMember): Promise<MemberRef | null> {
  if ("group" in member) return member;
  const user = await findBySubject(tx, member.identity);
  if (user === null && member.identity.provider === "local") throw deletedMeanwhile("the user");
  return user && { userId: user.id };
}

function isMemberRef(siteId: number, ref: MemberRef): SQL | undefined {
  const who = "group" in ref ? eq(members.group, ref.group) : eq(members.userId, ref.userId);
  return and(eq(members.siteId, siteId), who);
}

async function idsOf(tx: Drizzle, ref: MemberRef): Promise<readonly number[]> {
  return "userId" in ref ? [ref.userId] : idsOfGroups(tx, sql`${ref.group}`);
}

async function removeMember(tx: Drizzle, siteId: number, ref: MemberRef, at: number): Promise<boolean> {
  const site = await lockSiteRow(tx, siteId);
  if (!site || (await deleteRows(tx, members, isMemberRef(siteId, ref))) === 0) return false;
  if ("group" in ref) await announce(tx, peopleRemoved(siteId, await idsOf(tx, ref)));
  else {
    const isLost = !isMember(await findRole(tx, siteId, ref.userId, at));
    await announce(tx, isLost ? memberRemoved(siteId, site.name, ref.userId) : accessChanged(siteId));
  }
  return true;
}
