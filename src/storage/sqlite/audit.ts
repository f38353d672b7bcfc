import type { Database } from "bun:sqlite";
import { and, asc, desc, eq, gte, inArray, lt, lte, type SQL } from "drizzle-orm";
import type { AuditEntry, AuditPage, AuditStore } from "../../domain/ports/store/audit.ts";
import { linkedHash } from "../records/audit-chain.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { audit, auditAnchor, sites } from "./schema.ts";

export function auditStore(connection: Connection): AuditStore {
  const { db, raw, writeRelaxed, writeFreeing } = connection;
  const newest = (wanted: SQL | undefined, { limit, before }: AuditPage) => {
    const older = before === null ? undefined : lt(audit.id, before);
    const rows = db.select().from(audit).where(and(wanted, older)).orderBy(desc(audit.id)).limit(limit).all();
    return rows.map(({ hash: _, ...entry }) => entry);
  };
  const ofUser = raw.prepare<{ id: number }, [user: number, after: number, before: number, limit: number]>(
    "SELECT id FROM audit WHERE user_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?",
  );
  const ofSite = raw.prepare<
    { id: number },
    [site: string, since: number, after: number, before: number, limit: number]
  >("SELECT id FROM audit WHERE site = ? AND at >= ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?");

  return {
    async append(entry) {
      // If the change itself is durable, its entry may wait for the next commit. An operator's entry comes before the
      // change, which may be what frees a full disk.
      const add = entry.kind === "operator" ? writeFreeing : writeRelaxed;
      await add((tx, affects?: () => void) => {
        affects?.();
        appendEntry(tx, entry);
      });
    },

    async list({ site, actor, action, from, to }, page) {
      const wanted = [
        site === undefined ? undefined : eq(audit.site, site),
        actor === undefined ? undefined : eq(audit.actor, actor),
        action === undefined ? undefined : eq(audit.action, action),
        from === undefined ? undefined : gte(audit.at, from),
        to === undefined ? undefined : lt(audit.at, to),
      ];
      return newest(and(...wanted), page);
    },

    async listOfOwner(userId, page) {
      const { limit, before } = { ...page, before: page.before ?? Number.MAX_SAFE_INTEGER };
      let ids = ofUser.all(userId, 0, before, limit).map(({ id }) => id);
      const own = db.select({ name: sites.name, since: sites.createdAt }).from(sites).where(eq(sites.ownerId, userId));
      // One index lookup per site, and only for entries newer than a page that is already full. A single statement over
      // all sites would sort their whole history.
      for (const { name, since } of own.all()) {
        const oldest = ids.length === limit ? (ids.at(-1) ?? 0) : 0;
        const further = ofSite.all(name, since, oldest, before, limit).map(({ id }) => id);
        if (further.length === 0) continue;
        ids = [...new Set([...ids, ...further])].sort((one, other) => other - one).slice(0, limit);
      }
      return newest(inArray(audit.id, ids), { limit, before: null });
    },

    deleteOldest: (before, limit) => dropOldest(connection, before, limit),
  };
}

// --- internal ---

async function dropOldest({ write }: Connection, before: number, limit: number): Promise<number> {
  return write((tx) => {
    const oldest = tx
      .select({ id: audit.id, at: audit.at, hash: audit.hash })
      .from(audit)
      .orderBy(asc(audit.id))
      .limit(limit)
      .all();
    const stays = oldest.findIndex(({ at }) => at >= before);
    const last = (stays === -1 ? oldest : oldest.slice(0, stays)).at(-1);
    if (!last) return 0;
    tx.update(auditAnchor).set({ lastId: last.id, hash: last.hash }).run();
    return tx.delete(audit).where(lte(audit.id, last.id)).returning({ id: audit.id }).all().length;
  });
}

/** Adds an entry in the transaction of the change that it records. */
export function appendEntry(tx: Drizzle, entry: AuditEntry): void {
  const last = tx.select({ hash: audit.hash }).from(audit).orderBy(desc(audit.id)).limit(1).get();
  const { hash } = last ?? tx.select({ hash: auditAnchor.hash }).from(auditAnchor).get() ?? { hash: "" };
  tx.insert(audit)
    .values({ ...entry, hash: linkedHash(hash, entry) })
    .run();
}

/**
 * Returns where the log is not as it was written, because an entry was changed, removed or inserted. Reads one state of
 * it, because a server may add entries meanwhile.
 */
export function auditProblems(raw: Database): string[] {
  return raw.transaction(() => problemsOfState(raw))();
}

function problemsOfState(raw: Database): string[] {
  const anchor = raw.query<{ id: number; hash: string }, []>("SELECT last_id AS id, hash FROM audit_anchor").get();
  const rows = raw
    .query<AuditEntry & { id: number; hash: string }, []>(
      `SELECT id, at, kind, actor, address, action, site, subject, user_id AS userId, hash FROM audit ORDER BY id`,
    )
    .iterate();
  let previous = anchor?.hash ?? "";
  let last = anchor?.id ?? 0;
  for (const { id, hash, ...entry } of rows) {
    if (hash !== linkedHash(previous, entry)) return [`the audit log was changed at entry ${id}`];
    previous = hash;
    last = id;
  }
  // The chain does not show where it ended, but the number of assigned ids does.
  const given = raw.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").get()?.seq ?? 0;
  return given > last ? [`the audit log lacks the entries after ${last}, up to ${given}`] : [];
}
