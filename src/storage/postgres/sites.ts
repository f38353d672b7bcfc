import { aliasedTable, and, asc, eq, gt, inArray, isNotNull, lte, or, type SQL, sql, sum } from "drizzle-orm";
import {
  privacyChanged,
  siteChanged,
  siteFrozen,
  siteDeleted as siteRemoved,
  siteTransferred,
} from "../../domain/events/changes.ts";
import { siteDeleted } from "../../domain/model/events.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import { excessOf, type Quota } from "../../domain/model/quota.ts";
import type { SiteStore } from "../../domain/ports/store/sites.ts";
import { DAY } from "../../domain/timestamp.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { contains } from "./contains.ts";
import { lockSite } from "./deployment-rows.ts";
import { announce } from "./live-events.ts";
import { findNotifiedSite, note } from "./outbox.ts";
import { takeRoom } from "./quotas.ts";
import { countRows, first } from "./rows.ts";
import { claims, deployments, readers, retiredNames, sites, users, viewDays } from "./schema.ts";
import { siteActivity } from "./site-activity.ts";

/** A site is frozen itself, or through its owner. */
export const frozen = sql<Freeze | null>`coalesce(${sites.frozen}, ${users.frozen})`.mapWith(sites.frozen);

const siteColumns = {
  id: sites.id,
  name: sites.name,
  ownerId: sites.ownerId,
  private: sites.private,
  createdAt: sites.createdAt,
  lastDeployedAt: sites.lastDeployedAt,
  activeDeployment: deployments.number,
  sizeBytes: deployments.sizeBytes,
  totalViews: sites.totalViews,
  tags: sites.tags,
  frozen,
};

/** The fields of a site that a visit needs. `deployments` is joined by the active pointer, `users` by the owner. */
export const routeColumns = {
  siteId: sites.id,
  siteName: sites.name,
  private: sites.private,
  activeDeploymentId: sites.activeDeploymentId,
  activeDeployment: deployments.number,
  activatedAt: deployments.activatedAt,
  frozen: sql<boolean>`coalesce(${sites.frozen}, ${users.frozen}) IS NOT NULL`,
  previewAccess: sites.previewAccess,
};

/**
 * No user has this id. It owns the name of a site that was deleted while frozen, which even its former owner cannot
 * use.
 */
const NOBODY = 0;

/** Selects sites with the domain's fields. */
export function selectSites(db: Drizzle) {
  return db
    .select(siteColumns)
    .from(sites)
    .innerJoin(users, eq(users.id, sites.ownerId))
    .leftJoin(deployments, eq(deployments.id, sites.activeDeploymentId));
}

export function siteStore(connection: Connection): SiteStore {
  const { read, write, writeRouting } = connection;
  return {
    find: (name) => read((db) => first(selectSites(db).where(eq(sites.name, name)))),

    listOfOwner: (ownerId) => read((db) => selectSites(db).where(eq(sites.ownerId, ownerId)).orderBy(asc(sites.name))),

    activityOfOwner: siteActivity(connection),

    async findRoute(name) {
      return read((db) =>
        first(
          db
            .select(routeColumns)
            .from(sites)
            .innerJoin(users, eq(users.id, sites.ownerId))
            .leftJoin(deployments, eq(deployments.id, sites.activeDeploymentId))
            .where(eq(sites.name, name)),
        ),
      );
    },

    async page({ text, only, after, limit }, now) {
      const matches = text === null ? undefined : or(contains(sites.name, text), contains(users.login, text));
      const kind = only && { private: eq(sites.private, true), frozen: isNotNull(sites.frozen) }[only];
      const rest = after === null ? undefined : gt(sites.name, after);
      return read((db) =>
        selectListings(db, now)
          .where(and(matches, kind, rest))
          .orderBy(asc(sites.name))
          .limit(limit),
      );
    },

    listing: (name, now) => read((db) => first(selectListings(db, now).where(eq(sites.name, name)))),

    transfer: (id, ownerId, standard) =>
      writeRouting((tx, affects) => {
        affects(id);
        return transfer(tx, id, ownerId, standard);
      }),

    async setPrivate(id, isPrivate) {
      await writeRouting(async (tx, affects) => {
        affects(id);
        await tx.update(sites).set({ private: isPrivate }).where(eq(sites.id, id));
        await announce(tx, privacyChanged(id, isPrivate, await readerIds(tx, id)));
      });
    },

    async setFrozen(id, freeze) {
      return writeRouting(async (tx, affects) => {
        affects(id);
        const changed = tx.update(sites).set({ frozen: freeze }).where(eq(sites.id, id));
        if ((await countRows(changed.returning({ id: sites.id }))) === 0) return false;
        await announce(tx, siteFrozen(id));
        return true;
      });
    },

    async setTags(id, tags) {
      return write(async (tx) => {
        const changed = tx.update(sites).set({ tags }).where(eq(sites.id, id));
        if ((await countRows(changed.returning({ id: sites.id }))) === 0) return false;
        await announce(tx, siteChanged(id));
        return true;
      });
    },

    delete: (id, at, nameFreeAt) =>
      writeRouting((tx, affects) => {
        affects(id);
        return deleteSite(tx, id, at, nameFreeAt);
      }),

    removeFreeNames: (now) =>
      write((tx) =>
        countRows(tx.delete(retiredNames).where(lte(retiredNames.freeAt, now)).returning({ name: retiredNames.name })),
      ),
  };
}

// --- internal ---

/** Selects sites with the operators' fields. Each figure is an indexed read of the site's own rows. */
function selectListings(db: Drizzle, now: number) {
  const from = Math.floor(now / DAY) - 29;
  const ofSite = (query: SQL) => sql<number>`(${query})`.mapWith(Number);
  const recent = (column: SQL) =>
    ofSite(
      sql`SELECT coalesce(sum(${column}), 0) FROM ${viewDays} WHERE ${viewDays.siteId} = ${sites.id} AND ${viewDays.day} >= ${from}`,
    );
  const kept = aliasedTable(deployments, "kept");
  const ofKept = (value: SQL) =>
    ofSite(sql`SELECT ${value} FROM ${deployments} AS "kept" WHERE ${kept.siteId} = ${sites.id}`);
  const openClaims = sql`${claims.status} IN ('pending', 'verified') AND ${claims.withdrawnAt} IS NULL`;
  const columns = {
    ...siteColumns,
    owner: users.login,
    deployments: ofKept(sql`count(*)`),
    keptBytes: ofKept(sql`coalesce(sum(${kept.sizeBytes}), 0)`),
    recentViews: recent(sql`${viewDays.views}`),
    recentTraffic: recent(sql`${viewDays.bytes}`),
    domains: ofSite(sql`SELECT count(*) FROM ${claims} WHERE ${claims.siteId} = ${sites.id} AND ${openClaims}`),
  };
  return db
    .select(columns)
    .from(sites)
    .innerJoin(users, eq(users.id, sites.ownerId))
    .leftJoin(deployments, eq(deployments.id, sites.activeDeploymentId));
}

async function readerIds(tx: Drizzle, siteId: number): Promise<number[]> {
  const rows = await tx.select({ id: readers.userId }).from(readers).where(eq(readers.siteId, siteId));
  return rows.map(({ id }) => id);
}

async function keptBytesOf(tx: Drizzle, siteId: number): Promise<number> {
  const total = sum(deployments.sizeBytes).mapWith(Number);
  return (await first(tx.select({ total }).from(deployments).where(eq(deployments.siteId, siteId))))?.total ?? 0;
}

async function transfer(tx: Drizzle, id: number, ownerId: number, standard: Quota) {
  const room = await takeRoom(tx, ownerId, standard);
  await lockSite(tx, id);
  const site = await first(tx.select({ ownerId: sites.ownerId }).from(sites).where(eq(sites.id, id)));
  if (!site) return { outcome: "missing" as const };
  if (site.ownerId === ownerId) return { outcome: "transferred" as const };
  const excess = room && excessOf(room.quota, room.usage, { sites: 1, bytes: await keptBytesOf(tx, id) });
  if (excess) return { outcome: "over_quota" as const, excess };
  await tx.update(sites).set({ ownerId }).where(eq(sites.id, id));
  await tx.update(claims).set({ ownerId }).where(eq(claims.siteId, id));
  await tx.delete(readers).where(and(eq(readers.siteId, id), eq(readers.userId, ownerId)));
  await announce(tx, siteTransferred(id, site.ownerId));
  return { outcome: "transferred" as const };
}

/** Claims that prevent the deletion of a site: open ones, and those whose route is not yet removed. */
function holdsSite(siteId: number) {
  const open = inArray(claims.status, ["pending", "verified"]);
  const routed = inArray(claims.routeStatus, ["publishing", "routed", "removing"]);
  return and(eq(claims.siteId, siteId), or(open, routed));
}

/** Locks the row exclusively. A concurrent change that adds a claim or a reader waits, and then finds no site. */
async function deleteSite(tx: Drizzle, id: number, at: number, nameFreeAt: number) {
  await tx.select({ id: sites.id }).from(sites).where(eq(sites.id, id)).for("update");
  const site = await first(selectSites(tx).where(eq(sites.id, id)));
  if (!site) return "missing";
  if (await first(tx.select({ id: claims.id }).from(claims).where(holdsSite(id)).limit(1))) return "has_domains";
  const retired = { name: site.name, ownerId: site.frozen ? NOBODY : site.ownerId, freeAt: nameFreeAt };
  await tx.insert(retiredNames).values(retired).onConflictDoUpdate({ target: retiredNames.name, set: retired });
  const notified = await findNotifiedSite(tx, id);
  if (notified) await note(tx, notified, at, [siteDeleted(notified.name)]);
  const { name: siteName, ownerId } = site;
  await announce(tx, siteRemoved({ siteName, ownerId, readerIds: site.private ? await readerIds(tx, id) : [] }));
  await tx.delete(sites).where(eq(sites.id, id));
  return "deleted";
}
