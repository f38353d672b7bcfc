import { and, asc, eq, inArray, isNull, lt, lte, notExists, sql } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { previewExpired } from "../../domain/model/events.ts";
import {
  type Alias,
  type AliasState,
  aliasEvents,
  DEFAULT_PREVIEW_LIFETIME,
  hasRoomForAlias,
  type PreviewAccess,
  type PreviewPolicy,
} from "../../domain/model/preview.ts";
import type { AliasChange, PreviewStore } from "../../domain/ports/store/previews.ts";
import { columnsExcept } from "./columns.ts";
import { affectingSite, type Connection, type Drizzle } from "./connection.ts";
import { lockSite } from "./deployment-rows.ts";
import { announce, deleteAnnounced } from "./live-events.ts";
import { findNotifiedSite, note } from "./outbox.ts";
import { countOf, first, hasRow } from "./rows.ts";
import { aliases, deployments, expiredPreviews, pins, sites } from "./schema.ts";

const aliasColumns = { ...columnsExcept(aliases, "siteId", "deploymentId"), deploymentNumber: deployments.number };

/** Without the routes of visits, which `visits/` reads. */
export function previewStore(connection: Connection): Omit<PreviewStore, "findRoute" | "hasExpired"> {
  const { read, writeRouting, freeing } = connection;
  return {
    listAliases: (siteId) =>
      read((db) => selectAliases(db).where(eq(aliases.siteId, siteId)).orderBy(asc(aliases.name))),

    setAlias: (siteId, change) => writeRouting(affectingSite(siteId, (tx) => setAlias(tx, siteId, change))),

    deleteAlias: (siteId, name) =>
      writeRouting(
        affectingSite(siteId, (tx) =>
          deleteAnnounced(tx, aliases, isAlias(siteId, name), siteChanged(siteId, { alias: name })),
        ),
      ),

    policy: (siteId) => read((db) => findPolicy(db, siteId)),

    setPolicy: (siteId, change) => writeRouting(affectingSite(siteId, (tx) => setPolicy(tx, siteId, change))),

    async expire(now, limit) {
      // Most runs find nothing and need not write.
      if (!(await read((db) => isAnyDue(db, now)))) return 0;
      return freeing(() =>
        writeRouting(async (tx, affects) => {
          const ended = await expire(tx, now, limit);
          affects(...ended.map(({ siteId }) => siteId));
          return ended.length;
        }),
      );
    },

    deleteExpired: (before) => deleteExpired(connection, before),
  };
}

/**
 * Returns what decides whether an alias of a site may be set. Call it in the transaction that sets it, with the site
 * locked.
 */
export async function aliasState(tx: Drizzle, siteId: number, name: string): Promise<AliasState> {
  const count = await countOf(tx, aliases, eq(aliases.siteId, siteId));
  return { count, existing: await findAlias(tx, siteId, name) };
}

export async function writeAlias(
  tx: Drizzle,
  siteId: number,
  deploymentId: number,
  { name, expiresAt, at }: Omit<AliasChange, "deploymentNumber">,
): Promise<void> {
  const expired = and(eq(expiredPreviews.siteId, siteId), eq(expiredPreviews.label, name));
  await tx.delete(expiredPreviews).where(expired);
  const moved = { deploymentId, updatedAt: at, expiresAt };
  await tx
    .insert(aliases)
    .values({ siteId, name, createdAt: at, ...moved })
    .onConflictDoUpdate({ target: [aliases.siteId, aliases.name], set: moved });
}

export function findAlias(db: Drizzle, siteId: number, name: string): Promise<Alias | null> {
  return first(selectAliases(db).where(isAlias(siteId, name)));
}

/**
 * What changes with a site that becomes private: previews that everybody could open follow the site. Otherwise they
 * would stay public where the server allows no public previews of private sites, and where nobody thought of them.
 */
export const WITH_PRIVACY = {
  private: true,
  previewAccess: sql<PreviewAccess>`CASE WHEN ${sites.previewAccess} = 'public' THEN 'site' ELSE ${sites.previewAccess} END`,
};

// --- internal ---

function selectAliases(db: Drizzle) {
  return db.select(aliasColumns).from(aliases).innerJoin(deployments, eq(deployments.id, aliases.deploymentId));
}

function isAlias(siteId: number, name: string) {
  return and(eq(aliases.siteId, siteId), eq(aliases.name, name));
}

async function setAlias(tx: Drizzle, siteId: number, change: AliasChange) {
  const site = await lockSite(tx, siteId);
  if (!site) return "missing";
  const target = and(eq(deployments.siteId, siteId), eq(deployments.number, change.deploymentNumber));
  const deployment = await first(tx.select({ id: deployments.id }).from(deployments).where(target).for("key share"));
  if (!deployment) return "missing";
  const state = await aliasState(tx, siteId, change.name);
  if (!hasRoomForAlias(state)) return "too_many";
  await writeAlias(tx, siteId, deployment.id, change);
  const events = aliasEvents(state, { siteName: site.name, alias: change.name, ...change });
  await note(tx, site, change.at, events);
  return { alias: (await findAlias(tx, siteId, change.name)) as Alias, isNew: state.existing === null };
}

async function findPolicy(db: Drizzle, siteId: number): Promise<PreviewPolicy> {
  const columns = { access: sites.previewAccess, lifetime: sites.previewLifetime };
  const row = await first(db.select(columns).from(sites).where(eq(sites.id, siteId)));
  return { access: row?.access ?? "site", lifetime: row?.lifetime ?? DEFAULT_PREVIEW_LIFETIME };
}

async function setPolicy(tx: Drizzle, siteId: number, { access, lifetime }: Partial<PreviewPolicy>): Promise<void> {
  const changed = { previewAccess: access, previewLifetime: lifetime };
  await tx.update(sites).set(changed).where(eq(sites.id, siteId));
  await announce(tx, siteChanged(siteId));
}

interface SiteOf {
  readonly siteId: number;
}

const dueColumns = { siteId: aliases.siteId, name: aliases.name, deploymentId: aliases.deploymentId };

async function isAnyDue(db: Drizzle, now: number): Promise<boolean> {
  return (await hasRow(db, aliases, lte(aliases.expiresAt, now))) || hasRow(db, deployments, isDuePreview(db, now));
}

/** Pinned previews and targets of aliases stay. */
function isDuePreview(db: Drizzle, now: number) {
  const { id, activatedAt, expiresAt } = deployments;
  const isPinned = db.select({ found: sql`1` }).from(pins).where(eq(pins.deploymentId, id));
  const isAliased = db.select({ found: sql`1` }).from(aliases).where(eq(aliases.deploymentId, id));
  return and(lte(expiresAt, now), isNull(activatedAt), notExists(isPinned), notExists(isAliased));
}

function selectDue(db: Drizzle, now: number) {
  return db
    .select({ id: deployments.id })
    .from(deployments)
    .where(isDuePreview(db, now))
    .orderBy(asc(deployments.expiresAt));
}

async function expire(tx: Drizzle, now: number, limit: number): Promise<readonly SiteOf[]> {
  const ended = [...(await expireAliases(tx, now, limit)), ...(await expirePreviews(tx, now, limit))];
  for (const { siteId, deploymentNumber, alias } of ended) {
    const label = alias ?? String(deploymentNumber);
    await tx.insert(expiredPreviews).values({ siteId, label, expiredAt: now }).onConflictDoNothing();
    const site = await findNotifiedSite(tx, siteId);
    if (site) await note(tx, site, now, [previewExpired(site.name, { deploymentNumber, alias })]);
  }
  return ended;
}

async function expireAliases(tx: Drizzle, now: number, limit: number) {
  const due = await tx
    .select(dueColumns)
    .from(aliases)
    .where(lte(aliases.expiresAt, now))
    .orderBy(asc(aliases.expiresAt))
    .limit(limit)
    .for("update");
  const ended = [];
  for (const { siteId, name, deploymentId } of due) {
    await tx.delete(aliases).where(isAlias(siteId, name));
    const target = tx.select({ number: deployments.number }).from(deployments).where(eq(deployments.id, deploymentId));
    ended.push({ siteId, alias: name, deploymentNumber: (await first(target))?.number ?? 0 });
  }
  return ended;
}

/**
 * Checks the previews again after locking them, because somebody may have pinned one or pointed an alias to it
 * meanwhile.
 */
async function expirePreviews(tx: Drizzle, now: number, limit: number) {
  const due = await selectDue(tx, now).limit(limit).for("update", { of: deployments });
  const ids = due.map(({ id }) => id);
  const removed = await tx
    .delete(deployments)
    .where(and(inArray(deployments.id, ids), isDuePreview(tx, now)))
    .returning({ siteId: deployments.siteId, deploymentNumber: deployments.number });
  return removed.map((preview) => ({ ...preview, alias: null }));
}

async function deleteExpired({ read, writeRouting }: Connection, before: number): Promise<void> {
  const old = lt(expiredPreviews.expiredAt, before);
  if (!(await read((db) => hasRow(db, expiredPreviews, old)))) return;
  await writeRouting(async (tx, affects) => {
    const forgotten = await tx.delete(expiredPreviews).where(old).returning({ siteId: expiredPreviews.siteId });
    affects(...forgotten.map(({ siteId }) => siteId));
  });
}
