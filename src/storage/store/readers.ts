import { and, asc, eq, isNotNull, isNull, like, sql } from "drizzle-orm";
import { INVITATION_PREFIX, isInvitation, MAX_INVITED_READERS } from "../../domain/accounts/invitations.ts";
import { deletedMeanwhile } from "../../domain/errors.ts";
import { peopleAdded, peopleRemoved } from "../../domain/events/changes.ts";
import { may } from "../../domain/model/role.ts";
import type { Identity } from "../../domain/model/user.ts";
import {
  MAX_READER_GROUPS,
  type NewReader,
  type Reader,
  type ReaderRefusal,
  type ReaderStore,
} from "../../domain/ports/store/readers.ts";
import { columnsOf } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { takeLock } from "./locks.ts";
import { findRole, idsOfGroups, isReader, memberRole, personAt } from "./roles.ts";
import { countRows, first } from "./rows.ts";
import { readers, sites, users } from "./schema.ts";
import { isFrozen } from "./sites.ts";
import { ignoringCase } from "./sql.ts";
import { findBySubject, recognize } from "./users.ts";

const columns = {
  ...columnsOf(readers, "id", "userId"),
  login: sql<string>`coalesce(${users.login}, ${readers.group})`,
  ...columnsOf(users, "name", "avatarUrl"),
};

export function readerStore({ read, write }: Connection): ReaderStore {
  return {
    async list(siteId) {
      const ofSite = eq(readers.siteId, siteId);
      return read((db) =>
        selectReaders(db)
          .where(ofSite)
          .orderBy(...groupsLast),
      );
    },

    add: (siteId, reader, at) => write((tx) => addReader(tx, siteId, reader, at)),

    async delete(siteId, readerId) {
      return write(async (tx) => {
        if (!(await lockPrivate(tx, siteId))) return "not_private";
        const reader = and(eq(readers.id, readerId), eq(readers.siteId, siteId));
        const { userId, group } = readers;
        const removed = await first(tx.delete(readers).where(reader).returning({ userId, group }));
        if (!removed) return "missing";
        await announce(tx, peopleRemoved(siteId, await idsOf(tx, removed)));
        return "deleted";
      });
    },

    async sitesOf(userId, limit, now) {
      const person = personAt(userId, now);
      return read((db) =>
        db
          .select({ name: sites.name, owner: users.login, frozen: isFrozen })
          .from(sites)
          .innerJoin(users, eq(users.id, sites.ownerId))
          .where(and(isReader(sql`sites.id`, person), eq(sites.private, true), isNull(memberRole(person))))
          .orderBy(asc(sites.name))
          .limit(limit),
      );
    },

    async mayRead(siteId, userId, now) {
      return read(async (db) => may(await findRole(db, siteId, userId, now), "open"));
    },
  };
}

// --- internal ---

function selectReaders(db: Drizzle) {
  return db.select(columns).from(readers).leftJoin(users, eq(users.id, readers.userId));
}

const groupsLast = [sql`${readers.userId} IS NULL`, ignoringCase(users.login), asc(readers.group)];

async function addReader(tx: Drizzle, siteId: number, reader: NewReader, at: number): Promise<Reader | ReaderRefusal> {
  return "group" in reader ? addGroup(tx, siteId, reader.group, at) : addPerson(tx, siteId, reader, at);
}

async function addGroup(tx: Drizzle, siteId: number, group: string, at: number): Promise<Reader | ReaderRefusal> {
  if (!(await lockPrivate(tx, siteId))) return "not_private";
  const isThis = and(eq(readers.siteId, siteId), eq(readers.group, group));
  const present = await first(selectReaders(tx).where(isThis));
  if (present) return present;
  const groups = and(eq(readers.siteId, siteId), isNotNull(readers.group));
  const count = await countRows(tx.select({ id: readers.id }).from(readers).where(groups));
  if (count >= MAX_READER_GROUPS) return "too_many_groups";
  await tx.insert(readers).values({ siteId, group, createdAt: at });
  await announce(tx, peopleAdded(siteId, await idsOf(tx, { userId: null, group })));
  return (await first(selectReaders(tx).where(isThis))) as Reader;
}

async function idsOf(
  tx: Drizzle,
  { userId, group }: { readonly userId: number | null; readonly group: string | null },
): Promise<readonly number[]> {
  return userId === null ? idsOfGroups(tx, sql`${group}`) : [userId];
}

async function addPerson(tx: Drizzle, siteId: number, identity: Identity, at: number): Promise<Reader | ReaderRefusal> {
  // Otherwise the same user could be added twice, or an invitation removed that becomes a reader.
  await takeLock(tx, `people of ${identity.provider}`);
  if (!(await lockPrivate(tx, siteId))) return "not_private";
  const known = await findBySubject(tx, identity);
  if (!known && identity.provider === "local") throw deletedMeanwhile("the provider user");
  const present = known && (await first(selectReaders(tx).where(isUser(siteId, known.id))));
  if (present) return present;
  if (isInvitation(identity) && (await countInvited(tx, siteId)) >= MAX_INVITED_READERS) return "too_many_invited";
  const { id: userId } = known ?? (await recognize(tx, identity, at));
  await tx.insert(readers).values({ siteId, userId, createdAt: at });
  await announce(tx, peopleAdded(siteId, [userId]));
  return (await first(selectReaders(tx).where(isUser(siteId, userId)))) as Reader;
}

function isUser(siteId: number, userId: number) {
  return and(eq(readers.siteId, siteId), eq(readers.userId, userId));
}

async function countInvited(tx: Drizzle, siteId: number): Promise<number> {
  const ofSite = tx.select({ id: readers.id }).from(readers).innerJoin(users, eq(users.id, readers.userId));
  const isInvited = like(users.subject, `${INVITATION_PREFIX}%`);
  return countRows(ofSite.where(and(eq(readers.siteId, siteId), isInvited)));
}

/** Returns whether the site is private, which it stays until the transaction ends. */
async function lockPrivate(tx: Drizzle, siteId: number): Promise<boolean> {
  const site = await first(tx.select({ private: sites.private }).from(sites).where(eq(sites.id, siteId)).for("update"));
  if (!site) throw deletedMeanwhile("site");
  return site.private;
}
