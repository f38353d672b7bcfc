import { and, asc, desc, eq, gte, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Page } from "../../domain/model/page.ts";
import type { AuditEntry, AuditStore, KeptAuditEntry } from "../../domain/ports/store/audit.ts";
import { byDatabase, runsOnSqlite } from "./by-database.ts";
import { columnsExcept } from "./columns.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { takeLock } from "./locks.ts";
import { prepared } from "./prepared.ts";
import { deleteRows, first } from "./rows.ts";
import { audit, auditAnchor, formerNames } from "./schema.ts";

const entryColumns = columnsExcept(audit, "hash");

export function auditStore({ read, write, writeRelaxed, freeing }: Connection): AuditStore {
  return {
    async append(entry) {
      // If the change itself is durable, its entry may wait for the next commit. An operator's entry comes before the
      // change, which may be what frees a full disk.
      if (entry.kind === "operator") await freeing(() => write((tx) => appendEntry(tx, entry)));
      else await writeRelaxed((tx) => appendEntry(tx, entry));
    },

    async list({ site, actor, action, from, to }, page) {
      const wanted = and(
        site === undefined ? undefined : eq(audit.site, site),
        actor === undefined ? undefined : eq(audit.actor, actor),
        action === undefined ? undefined : eq(audit.action, action),
        from === undefined ? undefined : gte(audit.at, from),
        to === undefined ? undefined : lt(audit.at, to),
      );
      return read((db) => newest(db, wanted, page));
    },

    listOfSite: (site, page) => read(async (db) => newest(db, await ofSite(db, site), page)),
    listOfOwner: (userId, page) => read((db) => newestOfOwner(db, userId, page)),
    deleteOldest: (before, limit) => write((tx) => deleteOldest(tx, before, limit)),
  };
}

/**
 * Adds an entry in the transaction of the change that it records. Call it last, because every other change that adds an
 * entry waits until the transaction ends.
 */
export async function appendEntry(tx: Drizzle, entry: AuditEntry): Promise<void> {
  if (runsOnSqlite(tx)) return appendLinked(tx, entry);
  const { at, kind, actor, address, action, site, subject, userId } = entry;
  // Finds the end of the chain and adds the entry in one call, because everybody waits for it meanwhile.
  await tx.execute(sql`
    SELECT append_audit(${at}::bigint, ${kind}, ${actor}, ${address}, ${action}, ${site}, ${subject}, ${userId}::bigint)`);
}

/** Entries that are read at once. */
const CHECKED_AT_ONCE = 10_000;

/** Returns where the log is not as it was written, because an entry was changed, removed or inserted. */
export async function auditProblems(db: Drizzle): Promise<string[]> {
  const anchor = await first(db.select().from(auditAnchor));
  let previous = anchor?.hash ?? "";
  let last = anchor?.lastId ?? 0;
  for (;;) {
    const rows = await db
      .select({ ...entryColumns, hash: audit.hash })
      .from(audit)
      .where(sql`${audit.id} > ${last}`)
      .orderBy(asc(audit.id))
      .limit(CHECKED_AT_ONCE);
    for (const { id, hash, ...entry } of rows) {
      if (hash !== linkedHash(previous, entry)) return [`the audit log was changed at entry ${id}`];
      previous = hash;
      last = id;
    }
    if (rows.length < CHECKED_AT_ONCE) return [];
  }
}

// --- internal ---

/** Links an entry to all entries before it. Entries without an account are hashed as before accounts were recorded. */
function linkedHash(previous: string, entry: AuditEntry): string {
  const { at, kind, actor, address, action, site, subject, userId } = entry;
  const account = userId === null ? [] : [userId];
  const text = JSON.stringify([previous, at, kind, actor, address, action, site, subject, ...account]);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

const lastEntry = prepared((db) => db.select({ hash: audit.hash }).from(audit).orderBy(desc(audit.id)).limit(1));

async function appendLinked(tx: Drizzle, entry: AuditEntry): Promise<void> {
  const last = await first(lastEntry(tx, {}));
  const { hash } = last ?? (await first(tx.select({ hash: auditAnchor.hash }).from(auditAnchor))) ?? { hash: "" };
  await tx.insert(audit).values({ ...entry, hash: linkedHash(hash, entry) });
}

function newest(db: Drizzle, wanted: SQL | undefined, { limit, before }: Page): Promise<readonly KeptAuditEntry[]> {
  const older = before === null ? undefined : lt(audit.id, before);
  const entries = db.select(entryColumns).from(audit);
  return entries.where(and(wanted, older)).orderBy(desc(audit.id)).limit(limit);
}

/** When the site of a row got its name: it may have been another site's before. */
const NAMED_SINCE = sql`coalesce((SELECT max(until) FROM former_names WHERE site_id = sites.id), sites.created_at)`;

async function ofSite(
  db: Drizzle,
  { id, name, createdAt }: Parameters<AuditStore["listOfSite"]>[0],
): Promise<SQL | undefined> {
  const former = await db.select().from(formerNames).where(eq(formerNames.siteId, id));
  const since = Math.max(createdAt, ...former.map(({ until }) => until));
  const earlier = former.map((was) =>
    and(eq(audit.site, was.name), gte(audit.at, was.since), lte(audit.at, was.until)),
  );
  return or(and(eq(audit.site, name), gte(audit.at, since)), ...earlier);
}

/**
 * Reads the newest of the user's own entries and of each of their sites, each from its index, and keeps the newest of
 * all. Sorting the whole history of a user with many sites would take longer with every change.
 */
async function newestOfOwner(db: Drizzle, userId: number, { limit, before }: Page): Promise<readonly KeptAuditEntry[]> {
  const end = before ?? Number.MAX_SAFE_INTEGER;
  const newestIds = (which: SQL) =>
    sql`SELECT id FROM audit WHERE ${which} AND id < ${end} ORDER BY id DESC LIMIT ${limit}`;
  const ids = sql`
    SELECT id FROM (${newestIds(sql`user_id = ${userId}`)}) AS own
    UNION ${ofEach(sql`sites`, newestIds(sql`site = sites.name AND at >= ${NAMED_SINCE}`))} WHERE sites.owner_id = ${userId}
    UNION ${ofEach(FORMERLY, newestIds(WHILE_NAMED))} WHERE sites.owner_id = ${userId}
    ORDER BY id DESC LIMIT ${limit}`;
  return newest(db, sql`${audit.id} IN (${ids})`, { limit, before: null });
}

/** Sites under each of their former names. */
const FORMERLY = sql`sites JOIN former_names ON former_names.site_id = sites.id`;
const WHILE_NAMED = sql`site = former_names.name AND at BETWEEN former_names.since AND former_names.until`;

/** Selects the ids that a query finds for each row. */
function ofEach(rows: SQL, ids: SQL): SQL {
  return byDatabase({
    postgres: sql`SELECT found.id FROM ${rows} CROSS JOIN LATERAL (${ids}) AS found`,
    sqlite: sql`SELECT found.value FROM ${rows}, json_each((SELECT json_group_array(id) FROM (${ids}))) AS found`,
  });
}

async function deleteOldest(tx: Drizzle, before: number, limit: number): Promise<number> {
  await takeLock(tx, "audit");
  const columns = { id: audit.id, at: audit.at, hash: audit.hash };
  const oldest = await tx.select(columns).from(audit).orderBy(asc(audit.id)).limit(limit);
  const stays = oldest.findIndex(({ at }) => at >= before);
  const last = (stays === -1 ? oldest : oldest.slice(0, stays)).at(-1);
  if (!last) return 0;
  await tx.update(auditAnchor).set({ lastId: last.id, hash: last.hash });
  return deleteRows(tx, audit, lte(audit.id, last.id));
}
