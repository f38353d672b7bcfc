import { and, asc, count, eq, isNull, lt, lte, notExists, sql } from "drizzle-orm";
import { siteChanged } from "../../domain/events/changes.ts";
import { previewExpired } from "../../domain/model/events.ts";
import {
  type Alias,
  type AliasState,
  aliasEvents,
  DEFAULT_PREVIEW_LIFETIME,
  hasRoomForAlias,
  type PreviewPolicy,
} from "../../domain/model/preview.ts";
import type { AliasChange, PreviewStore } from "../../domain/ports/store/previews.ts";
import { columnsExcept } from "../records/columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { newOutbox, type Outbox } from "./outbox.ts";
import { aliases, deployments, expiredPreviews, pins, sites } from "./schema.ts";

const aliasColumns = { ...columnsExcept(aliases, "siteId", "deploymentId"), deploymentNumber: deployments.number };

export function previewStore(connection: Connection): PreviewStore {
  const { db, writeFreeing } = connection;
  const outbox = newOutbox(connection);
  return {
    async listAliases(siteId) {
      return selectAliases(db).where(eq(aliases.siteId, siteId)).orderBy(asc(aliases.name)).all();
    },

    async findRoute(siteId, name) {
      const columns = {
        deploymentId: aliases.deploymentId,
        deploymentNumber: deployments.number,
        updatedAt: aliases.updatedAt,
      };
      const joined = db.select(columns).from(aliases).innerJoin(deployments, eq(deployments.id, aliases.deploymentId));
      return joined.where(isAlias(siteId, name)).get() ?? null;
    },

    setAlias: (siteId, change) => setAlias(connection, outbox, siteId, change),
    deleteAlias: (siteId, name) => removeAlias(connection, siteId, name),

    async policy(siteId) {
      const columns = { access: sites.previewAccess, lifetime: sites.previewLifetime };
      const row = db.select(columns).from(sites).where(eq(sites.id, siteId)).get();
      return { access: row?.access ?? "site", lifetime: row?.lifetime ?? DEFAULT_PREVIEW_LIFETIME };
    },

    setPolicy: (siteId, change) => setPolicy(connection, siteId, change),

    async hasExpired(siteId, label) {
      const { siteId: ofSite, label: ofLabel } = expiredPreviews;
      const found = and(eq(ofSite, siteId), eq(ofLabel, label));
      return db.select({ label: ofLabel }).from(expiredPreviews).where(found).get() !== undefined;
    },

    async expire(now, limit) {
      // Most runs find nothing and need not write.
      if (dueAliases(db, now, 1).length + duePreviews(db, now, 1).length === 0) return 0;
      return writeFreeing((tx, affects) => {
        const ended = expire(tx, outbox, now, limit);
        affects(...ended.map(({ siteId }) => siteId));
        return ended.length;
      });
    },

    deleteExpired: (before) => forgetExpired(connection, before),
  };
}

/** Returns what decides whether a site's alias may be set. Read in the transaction that sets it. */
export function aliasState(tx: Drizzle, siteId: number, name: string): AliasState {
  const own = tx.select({ count: count() }).from(aliases).where(eq(aliases.siteId, siteId)).get();
  return { count: own?.count ?? 0, existing: selectAliases(tx).where(isAlias(siteId, name)).get() ?? null };
}

export function writeAlias(
  tx: Drizzle,
  siteId: number,
  deploymentId: number,
  { name, expiresAt, at }: Omit<AliasChange, "deploymentNumber">,
): void {
  tx.delete(expiredPreviews)
    .where(and(eq(expiredPreviews.siteId, siteId), eq(expiredPreviews.label, name)))
    .run();
  const moved = { deploymentId, updatedAt: at, expiresAt };
  tx.insert(aliases)
    .values({ siteId, name, createdAt: at, ...moved })
    .onConflictDoUpdate({ target: [aliases.siteId, aliases.name], set: moved })
    .run();
}

// --- internal ---

async function setAlias(
  { writeRouting }: Connection,
  outbox: Outbox,
  siteId: number,
  change: AliasChange,
): Promise<{ readonly alias: Alias; readonly isNew: boolean } | "missing" | "too_many"> {
  return writeRouting((tx, affects) => {
    affects(siteId);
    const target = and(eq(deployments.siteId, siteId), eq(deployments.number, change.deploymentNumber));
    const deployment = tx.select({ id: deployments.id }).from(deployments).where(target).get();
    if (!deployment) return "missing";
    const state = aliasState(tx, siteId, change.name);
    if (!hasRoomForAlias(state)) return "too_many";
    writeAlias(tx, siteId, deployment.id, change);
    const site = outbox.find(siteId);
    if (site) outbox.note(site, change.at, aliasEvents(state, { siteName: site.name, alias: change.name, ...change }));
    const alias = selectAliases(tx).where(isAlias(siteId, change.name)).get()!;
    return { alias, isNew: state.existing === null };
  });
}

async function forgetExpired({ db, writeRouting }: Connection, before: number): Promise<void> {
  const old = lt(expiredPreviews.expiredAt, before);
  if (!db.select({ label: expiredPreviews.label }).from(expiredPreviews).where(old).limit(1).get()) return;
  await writeRouting((tx, affects) => {
    const forgotten = tx.delete(expiredPreviews).where(old).returning({ siteId: expiredPreviews.siteId }).all();
    affects(...forgotten.map(({ siteId }) => siteId));
  });
}

async function removeAlias({ writeRouting, announce }: Connection, siteId: number, name: string): Promise<boolean> {
  return writeRouting((tx, affects) => {
    affects(siteId);
    const isRemoved = tx.delete(aliases).where(isAlias(siteId, name)).returning().all().length > 0;
    if (isRemoved) announce(siteChanged(siteId, { alias: name }));
    return isRemoved;
  });
}

async function setPolicy(
  { writeRouting, announce }: Connection,
  siteId: number,
  { access, lifetime }: Partial<PreviewPolicy>,
): Promise<void> {
  const changed = { previewAccess: access, previewLifetime: lifetime };
  await writeRouting((tx, affects) => {
    affects(siteId);
    tx.update(sites).set(changed).where(eq(sites.id, siteId)).run();
    announce(siteChanged(siteId));
  });
}

function selectAliases(db: Drizzle) {
  return db.select(aliasColumns).from(aliases).innerJoin(deployments, eq(deployments.id, aliases.deploymentId));
}

function isAlias(siteId: number, name: string) {
  return and(eq(aliases.siteId, siteId), eq(aliases.name, name));
}

function dueAliases(db: Drizzle, now: number, limit: number): (Pick<Alias, "name" | "deploymentNumber"> & SiteOf)[] {
  const columns = { siteId: aliases.siteId, name: aliases.name, deploymentNumber: deployments.number };
  const joined = db.select(columns).from(aliases).innerJoin(deployments, eq(deployments.id, aliases.deploymentId));
  return joined.where(lte(aliases.expiresAt, now)).orderBy(asc(aliases.expiresAt)).limit(limit).all();
}

interface SiteOf {
  readonly siteId: number;
}

/** Pinned previews and targets of aliases stay. */
function duePreviews(db: Drizzle, now: number, limit: number): ({ id: number; number: number } & SiteOf)[] {
  const { id, siteId, number, activatedAt, expiresAt } = deployments;
  const isPinned = db.select({ found: sql`1` }).from(pins).where(eq(pins.deploymentId, id));
  const isAliased = db.select({ found: sql`1` }).from(aliases).where(eq(aliases.deploymentId, id));
  return db
    .select({ id, siteId, number })
    .from(deployments)
    .where(and(lte(expiresAt, now), isNull(activatedAt), notExists(isPinned), notExists(isAliased)))
    .orderBy(asc(expiresAt))
    .limit(limit)
    .all();
}

function expire(tx: Drizzle, outbox: Outbox, now: number, limit: number): readonly SiteOf[] {
  const endedAliases = dueAliases(tx, now, limit);
  for (const { siteId, name } of endedAliases) tx.delete(aliases).where(isAlias(siteId, name)).run();
  const previews = duePreviews(tx, now, limit);
  for (const { id } of previews) tx.delete(deployments).where(eq(deployments.id, id)).run();
  const ended = [
    ...endedAliases.map(({ siteId, name, deploymentNumber }) => ({ siteId, deploymentNumber, alias: name })),
    ...previews.map(({ siteId, number }) => ({ siteId, deploymentNumber: number, alias: null })),
  ];
  for (const { siteId, deploymentNumber, alias } of ended) {
    const label = alias ?? String(deploymentNumber);
    tx.insert(expiredPreviews).values({ siteId, label, expiredAt: now }).onConflictDoNothing().run();
    const site = outbox.find(siteId);
    if (site) outbox.note(site, now, [previewExpired(site.name, { deploymentNumber, alias })]);
  }
  return ended;
}
