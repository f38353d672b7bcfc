import { and, asc, eq, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import { privacyChanged, siteChanged, siteChangedForReaders, siteRemoved } from "../../domain/events/changes.ts";
import { ACTIVE_ROUTE_STATUSES, OPEN_STATUSES } from "../../domain/model/claim.ts";
import { siteDeleted } from "../../domain/model/events.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import type { Role, WorkingRole } from "../../domain/model/role.ts";
import { retiredName } from "../../domain/model/site.ts";
import type { SiteListing, SiteQuery, SiteStore } from "../../domain/ports/store/sites.ts";
import { changeSite } from "./change-site.ts";
import { columnsExcept } from "./columns.ts";
import { affectingSite, type Connection, type Drizzle } from "./connection.ts";
import { announce, audienceOf } from "./live-events.ts";
import { findNotifiedSite, note } from "./outbox.ts";
import { prepared } from "./prepared.ts";
import { WITH_PRIVACY } from "./previews.ts";
import { findOwnRole, findRole, idsOfGroups, memberRole, PERSON, worksOn } from "./roles.ts";
import { first, hasRow } from "./rows.ts";
import { claims, deployments, formerNames, readers, retiredNames, sites, users } from "./schema.ts";
import { siteActivity } from "./site-activity.ts";
import { siteExpiryStore } from "./site-expiry.ts";
import { siteFigures } from "./site-figures.ts";
import { freeNames, renameSite, retireFormerNames } from "./site-names.ts";
import { contains } from "./sql.ts";
import { transferSite } from "./transfer.ts";

/** A site is frozen itself, or through its owner. */
export const frozen = sql<Freeze | null>`coalesce(${sites.frozen}, ${users.frozen})`.mapWith(sites.frozen);

const siteColumns = {
  ...columnsExcept(sites, "lastNumber", "activeDeploymentId", "previewAccess", "previewLifetime", "expiryNoticeAt"),
  activeDeployment: deployments.number,
  sizeBytes: deployments.sizeBytes,
  frozen,
};

export const isFrozen = sql`coalesce(${sites.frozen}, ${users.frozen}) IS NOT NULL`.mapWith(Boolean);

/** Joins sites with their owners and their active deployments. */
export function withOwnerAndDeployment<Query extends PgSelect>(query: Query) {
  return query
    .innerJoin(users, eq(users.id, sites.ownerId))
    .leftJoin(deployments, eq(deployments.id, sites.activeDeploymentId));
}

/** Selects sites with the domain's fields. */
export function selectSites(db: Drizzle) {
  return withOwnerAndDeployment(db.select(siteColumns).from(sites).$dynamic());
}

/** Without what a visit needs, which `visits/` reads. */
export function siteStore(connection: Connection): Omit<SiteStore, "findRoute" | "findRenamed"> {
  const { read, write, writeRouting, freeing } = connection;
  return {
    find: (name) => read((db) => first(siteByName(db, { name }))),
    roleOf: (siteId, userId, now) => read((db) => findRole(db, siteId, userId, now)),
    ownRoleOf: (siteId, userId) => read((db) => findOwnRole(db, siteId, userId)),
    listOfOwner: (ownerId) => read((db) => sitesOfOwner(db, { ownerId })),
    listOfMember: (userId, now) => read(async (db) => (await sitesOfMember(db, { userId, now })).map(withRole)),
    activityOfMember: siteActivity(connection),
    page: (query, now) => read((db) => pageOfSites(db, query, now)),
    listing: (name, now) => read((db) => first(selectListings(db, now).where(eq(sites.name, name)))),

    transfer: (id, ownerId, options) =>
      writeRouting(
        affectingSite(id, async (tx) => {
          const result = await transferSite(tx, id, ownerId, options);
          return result.outcome === "transferred" ? { ...result, site: (await findById(tx, id))! } : result;
        }),
      ),

    setPrivate: (id, isPrivate) => writeRouting(affectingSite(id, (tx) => setPrivate(tx, id, isPrivate))),

    setFrozen: (id, freeze) =>
      writeRouting(
        affectingSite(id, async (tx) => {
          await changeSite(tx, id, { frozen: freeze }, siteChangedForReaders(id));
          return findById(tx, id);
        }),
      ),

    rename: (id, to) => writeRouting(affectingSite(id, (tx, affects) => renameSite(tx, id, to, affects))),

    setTags: (id, tags) => write((tx) => changeSite(tx, id, { tags }, siteChanged(id))),
    ...siteExpiryStore(connection),

    delete: (id, at, nameFreeAt, condition) =>
      freeing(() => writeRouting(affectingSite(id, (tx) => deleteSite(tx, id, { at, nameFreeAt, ...condition })))),

    deleteFreeNames: (now) => freeNames(connection, now),
  };
}

// --- internal ---

/** A site's own name comes before another's former one, which is the case only once that is free. */
const siteByName = prepared((db) => {
  const name = sql`${sql.placeholder("name")}`;
  const own = sql`SELECT own.id FROM ${sites} AS own WHERE own.name = ${name}`;
  const former = sql`SELECT site_id FROM ${formerNames} WHERE ${formerNames.name} = ${name} AND free_at IS NOT NULL`;
  return selectSites(db).where(sql`${sites.id} = coalesce((${own}), (${former}))`);
});
const sitesOfOwner = prepared((db) =>
  selectSites(db)
    .where(eq(sites.ownerId, sql.placeholder("ownerId")))
    .orderBy(asc(sites.name)),
);

const sitesOfMember = prepared((db) => {
  const columns = { ...siteColumns, role: memberRole(PERSON) };
  return withOwnerAndDeployment(db.select(columns).from(sites).$dynamic())
    .where(worksOn(sites.id, PERSON))
    .orderBy(asc(sites.name));
});

/** Every site that is found has a role. */
function withRole<Row extends { readonly role: Role | null }>(row: Row): Row & { readonly role: WorkingRole } {
  return { ...row, role: row.role as WorkingRole };
}

async function pageOfSites(
  db: Drizzle,
  { text, only, after, limit }: SiteQuery,
  now: number,
): Promise<readonly SiteListing[]> {
  const matches = text === null ? undefined : or(contains(sites.name, text), contains(users.login, text));
  const kind =
    only &&
    { private: eq(sites.private, true), public: eq(sites.private, false), frozen: isNotNull(sites.frozen) }[only];
  const rest = after === null ? undefined : gt(sites.name, after);
  return selectListings(db, now)
    .where(and(matches, kind, rest))
    .orderBy(asc(sites.name))
    .limit(limit);
}

function findById(db: Drizzle, id: number) {
  return first(selectSites(db).where(eq(sites.id, id)));
}

/** Selects sites with the operators' fields. */
function selectListings(db: Drizzle, now: number) {
  const figures = siteFigures(now);
  const columns = { ...siteColumns, owner: users.login, ...figures };
  return withOwnerAndDeployment(db.select(columns).from(sites).$dynamic());
}

async function setPrivate(tx: Drizzle, id: number, isPrivate: boolean): Promise<void> {
  const change = isPrivate ? WITH_PRIVACY : { private: false };
  await tx.update(sites).set(change).where(eq(sites.id, id));
  await announce(tx, privacyChanged(id, isPrivate, await readerIds(tx, id)));
}

async function readerIds(tx: Drizzle, siteId: number): Promise<number[]> {
  const ofSite = eq(readers.siteId, siteId);
  const rows = await tx.select({ id: readers.userId }).from(readers).where(ofSite);
  const groups = sql`SELECT group_name FROM readers WHERE site_id = ${siteId}`;
  return [...rows.flatMap(({ id }) => id ?? []), ...(await idsOfGroups(tx, groups))];
}

/** Claims that prevent the deletion of a site: open ones, and those whose route is not yet removed. */
function holdsSite(siteId: number) {
  const routed = inArray(claims.routeStatus, ACTIVE_ROUTE_STATUSES);
  return and(eq(claims.siteId, siteId), or(inArray(claims.status, OPEN_STATUSES), routed));
}

/** Locks the row exclusively. A concurrent change that adds a claim or a reader waits, and then finds no site. */
async function deleteSite(
  tx: Drizzle,
  id: number,
  { at, nameFreeAt, ifExpiredBefore }: { at: number; nameFreeAt: number; ifExpiredBefore?: number },
): ReturnType<SiteStore["delete"]> {
  await tx.select({ id: sites.id }).from(sites).where(eq(sites.id, id)).for("update");
  const site = await findById(tx, id);
  if (!site) return "missing";
  if (ifExpiredBefore !== undefined && !(site.expired && (site.expiresAt ?? at) <= ifExpiredBefore)) return "missing";
  if (await hasRow(tx, claims, holdsSite(id))) return "has_domains";
  const retired = retiredName(site, nameFreeAt);
  await tx.insert(retiredNames).values(retired).onConflictDoUpdate({ target: retiredNames.name, set: retired });
  await retireFormerNames(tx, site);
  const notified = await findNotifiedSite(tx, id);
  if (notified) await note(tx, notified, at, [siteDeleted(notified.name)]);
  const audience = await audienceOf(tx, id, at);
  if (audience) await announce(tx, siteRemoved(audience));
  await tx.delete(sites).where(eq(sites.id, id));
  return "deleted";
}
