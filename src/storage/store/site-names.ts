import { and, eq, gt, isNotNull, lte, max, ne, sql } from "drizzle-orm";
import { siteChangedForReaders } from "../../domain/events/changes.ts";
import type { Site } from "../../domain/model/site.ts";
import { MAX_HOST_LABEL } from "../../domain/model/site-name.ts";
import type { SiteStore } from "../../domain/ports/store/sites.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { deleteRows, first, hasRow } from "./rows.ts";
import { aliases, formerNames, retiredNames, sites } from "./schema.ts";

/** Renames a site. Both rows of names are unique, so that one of two concurrent changes to a name fails. */
export async function renameSite(
  tx: Drizzle,
  id: number,
  { name, at, nameFreeAt }: Parameters<SiteStore["rename"]>[1],
  affects: (siteId: number) => void,
): ReturnType<SiteStore["rename"]> {
  const columns = { name: sites.name, ownerId: sites.ownerId, createdAt: sites.createdAt };
  const site = await first(tx.select(columns).from(sites).where(eq(sites.id, id)).for("update"));
  if (!site) return "missing";
  if (site.name === name) return "renamed";
  if (await isTaken(tx, name, { id, ownerId: site.ownerId, at })) return "taken";
  const longAlias = await findLongAlias(tx, id, name);
  if (longAlias !== null) return { longAlias };
  const since = await namedSince(tx, id, site.createdAt);
  for (const siteId of await endRedirects(tx, name)) affects(siteId);
  await tx.delete(retiredNames).where(eq(retiredNames.name, name));
  await tx.insert(formerNames).values({ siteId: id, name: site.name, since, until: at, freeAt: nameFreeAt });
  await tx.update(sites).set({ name }).where(eq(sites.id, id));
  await announce(tx, siteChangedForReaders(id));
  return "renamed";
}

/** Keeps the former names of a site that is deleted reserved for its owner. */
export async function retireFormerNames(tx: Drizzle, { id, ownerId }: Pick<Site, "id" | "ownerId">): Promise<void> {
  const reserved = and(eq(formerNames.siteId, id), isNotNull(formerNames.freeAt));
  for (const { name, freeAt } of await tx.select().from(formerNames).where(reserved)) {
    const retired = { name, ownerId, freeAt: freeAt as number };
    await tx.insert(retiredNames).values(retired).onConflictDoUpdate({ target: retiredNames.name, set: retired });
  }
}

/** `SiteStore.deleteFreeNames`. Most runs find nothing, and change nothing for visitors. */
export async function freeNames({ read, write, writeRouting }: Connection, now: number): Promise<number> {
  const isFree = lte(formerNames.freeAt, now);
  const ended = !(await read((db) => hasRow(db, formerNames, isFree)))
    ? 0
    : await writeRouting(async (tx, affects) => {
        const freed = tx.update(formerNames).set({ freeAt: null }).where(isFree);
        const rows = await freed.returning({ siteId: formerNames.siteId });
        affects(...rows.map(({ siteId }) => siteId));
        return rows.length;
      });
  const retired = lte(retiredNames.freeAt, now);
  return ended + (await write((tx) => deleteRows(tx, retiredNames, retired)));
}

/** Requests for the name find the site that has it from now on. Returns the sites that had it before. */
export async function endRedirects(tx: Drizzle, name: string): Promise<readonly number[]> {
  const leading = and(eq(formerNames.name, name), isNotNull(formerNames.freeAt));
  const ended = tx.update(formerNames).set({ freeAt: null }).where(leading);
  return (await ended.returning({ siteId: formerNames.siteId })).map(({ siteId }) => siteId);
}

// --- internal ---

/** A former name of the same owner's site is not taken: its redirect ends. */
async function isTaken(
  tx: Drizzle,
  name: string,
  { id, ownerId, at }: { readonly id: number; readonly ownerId: number; readonly at: number },
): Promise<boolean> {
  const site = tx.select({ id: sites.id }).from(sites).where(eq(sites.name, name));
  if (await first(site)) return true;
  const isRetired = and(eq(retiredNames.name, name), ne(retiredNames.ownerId, ownerId), gt(retiredNames.freeAt, at));
  if (await first(tx.select({ name: retiredNames.name }).from(retiredNames).where(isRetired))) return true;
  const others = and(eq(formerNames.name, name), gt(formerNames.freeAt, at), ne(formerNames.siteId, id));
  const former = tx.select({ ownerId: sites.ownerId }).from(formerNames);
  const holder = await first(former.innerJoin(sites, eq(sites.id, formerNames.siteId)).where(others));
  return holder !== null && holder.ownerId !== ownerId;
}

/** Returns an alias whose host would not fit into a DNS label; null if all do. */
async function findLongAlias(tx: Drizzle, siteId: number, name: string): Promise<string | null> {
  const isLong = sql`length(${aliases.name}) > ${MAX_HOST_LABEL - "--".length - name.length}`;
  const alias = tx
    .select({ name: aliases.name })
    .from(aliases)
    .where(and(eq(aliases.siteId, siteId), isLong));
  return (await first(alias.limit(1)))?.name ?? null;
}

async function namedSince(tx: Drizzle, siteId: number, createdAt: number): Promise<number> {
  const until = max(formerNames.until);
  const last = await first(tx.select({ until }).from(formerNames).where(eq(formerNames.siteId, siteId)));
  return last?.until === null || last?.until === undefined ? createdAt : Number(last.until);
}
