import { and, asc, gt, gte, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { ContentRows, Purge } from "../../domain/ports/store/contents.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { first, hasRow, inPages, rowsOf } from "./rows.ts";
import { contents, encodings, purges } from "./schema.ts";
import { isAnyOf, rowsAs } from "./sql.ts";

/** Content that is also an encoding of other content stays as long as that. */
const UNREFERENCED = sql`NOT EXISTS (SELECT 1 FROM deployment_contents WHERE content_id = contents.id)
  AND NOT EXISTS (SELECT 1 FROM encodings WHERE encodings.digest = contents.digest)`;

const ROWS_AT_ONCE = 1000;

export function contentRows({ read, write }: Connection): ContentRows {
  return {
    async find(digests) {
      const { digest, condemnedAt } = contents;
      const rows = await read((db) => db.select({ digest, condemnedAt }).from(contents).where(isAmong(digests)));
      return new Map(rows.map((row) => [row.digest, { condemnedAt: row.condemnedAt }]));
    },

    async unknown(digests) {
      const statement = sql`
        SELECT requested.digest FROM ${rowsAs("requested", { digest: ["text", digests] })}
        WHERE NOT EXISTS (SELECT 1 FROM contents WHERE contents.digest = requested.digest)
          AND NOT EXISTS (SELECT 1 FROM encodings WHERE encodings.digest = requested.digest)`;
      const rows = await read((db) => rowsOf<{ readonly digest: string }>(db, statement));
      return rows.map(({ digest }) => digest);
    },

    async *list() {
      const kept = inPages<KeptRow>((last) => read((db) => listKept(db, last?.id ?? 0)));
      for await (const { digest, size } of kept) yield { digest, size };
    },

    async *condemnUnreferenced(before, at, stride) {
      const last = await read((db) => first(db.select({ id: sql`max(id)`.mapWith(Number) }).from(contents)));
      for (let from = 0; from < (last?.id ?? 0); from += stride) {
        const old = sql`id > ${from} AND id <= ${from + stride} AND published_at < ${before} AND condemned_at IS NULL`;
        yield await condemn({ read, write }, sql`${old} AND ${UNREFERENCED}`, at);
      }
    },

    async listCondemned(before, after, limit) {
      const old = sql`${contents.condemnedAt} < ${before} AND ${contents.digest} > ${after}`;
      const rows = await read((db) =>
        db.select({ digest: contents.digest }).from(contents).where(old).orderBy(asc(contents.digest)).limit(limit),
      );
      return rows.map(({ digest }) => digest);
    },

    async deleteCondemned(digests) {
      const forgotten = sql`${contents.condemnedAt} IS NOT NULL AND ${isAmong(digests)}`;
      await write((tx) => tx.delete(contents).where(forgotten));
    },

    listPurges: (limit) => read((db) => listPurges(db, limit)),
    endPurges: (ended, at) => write((tx) => endPurges(tx, ended, at)),

    async deletePurges(before) {
      const old = and(lt(purges.requestedAt, before), isNotNull(purges.doneAt));
      // Usually there is nothing to forget, and a write would wait for the disk.
      const isAny = await read((db) => hasRow(db, purges, old));
      if (isAny) await write((tx) => tx.delete(purges).where(old));
    },
  };
}

/**
 * Condemns those of the contents that nothing refers to any more, and requests the purge of them and their encodings.
 * Call it in the transaction that deletes the last references.
 */
export async function purgeUnreferenced(tx: Drizzle, contentIds: readonly number[], at: number): Promise<void> {
  for (let from = 0; from < contentIds.length; from += PURGES_AT_ONCE) {
    const some = isAnyOf(contents.id, contentIds.slice(from, from + PURGES_AT_ONCE), "bigint");
    const condemned = await condemnLocked(tx, sql`${some} AND condemned_at IS NULL AND ${UNREFERENCED}`, at);
    await tx.execute(sql`
      INSERT INTO purges (digest, requested_at)
      SELECT digest, CAST(${at} AS bigint) FROM (
        SELECT digest FROM contents WHERE ${isAnyOf(contents.id, condemned, "bigint")}
        UNION SELECT digest FROM encodings WHERE ${isAnyOf(encodings.contentId, condemned, "bigint")}) AS purged
      WHERE true ORDER BY digest
      ON CONFLICT (digest) DO UPDATE SET requested_at = excluded.requested_at, done_at = NULL`);
  }
}

/** Returns whether the purge of one of these contents was requested at or after `since`. */
export async function werePurged(tx: Drizzle, digests: ReadonlySet<string>, since: number): Promise<boolean> {
  const requested = await tx.select({ digest: purges.digest }).from(purges).where(gte(purges.requestedAt, since));
  return requested.some(({ digest }) => digests.has(digest));
}

// --- internal ---

function isAmong(digests: readonly string[]) {
  return isAnyOf(contents.digest, digests, "text");
}

type KeptRow = Awaited<ReturnType<typeof listKept>>[number];

function listKept(db: Drizzle, after: number) {
  const { id, digest, size, condemnedAt } = contents;
  const kept = and(gt(id, after), isNull(condemnedAt));
  return db.select({ id, digest, size }).from(contents).where(kept).orderBy(asc(id)).limit(ROWS_AT_ONCE).execute();
}

/** Contents of a deleted deployment that are condemned in one statement. */
const PURGES_AT_ONCE = 5000;

/**
 * Condemns the found contents, and returns their number. The rows are locked before they are checked again. A
 * publication that uses one has also locked it: either it is seen here, or it finds the content condemned.
 */
async function condemn({ read, write }: Pick<Connection, "read" | "write">, found: SQL, at: number): Promise<number> {
  // Usually there is nothing to condemn, and a write would wait for the disk.
  if (!(await read((db) => hasRow(db, contents, found)))) return 0;
  return write(async (tx) => (await condemnLocked(tx, found, at)).length);
}

/** Returns the ids of the condemned contents. */
async function condemnLocked(tx: Drizzle, found: SQL, at: number): Promise<readonly number[]> {
  const { id } = contents;
  // Publications lock contents in this order, too.
  const rows = await tx.select({ id }).from(contents).where(found).orderBy(asc(contents.digest)).for("update");
  const ids = rows.map((row) => row.id);
  const still = and(isAnyOf(id, ids, "bigint"), found);
  const condemned = await tx.update(contents).set({ condemnedAt: at }).where(still).returning({ id });
  return condemned.map((row) => row.id);
}

/** An encoding of content that is condemned is not used. */
async function listPurges(db: Drizzle, limit: number): Promise<readonly Purge[]> {
  const { digest, requestedAt, doneAt } = purges;
  const isUsed = sql`(EXISTS (SELECT 1 FROM contents WHERE contents.digest = purges.digest AND condemned_at IS NULL)
    OR EXISTS (SELECT 1 FROM encodings JOIN contents ON contents.id = content_id
      WHERE encodings.digest = purges.digest AND condemned_at IS NULL))`.mapWith(Boolean);
  const pending = db.select({ digest, requestedAt, isUsed }).from(purges).where(isNull(doneAt));
  return pending.orderBy(asc(digest)).limit(limit);
}

async function endPurges(tx: Drizzle, ended: readonly Purge[], at: number): Promise<void> {
  const latest = Math.max(...ended.map(({ requestedAt }) => requestedAt));
  const digests = ended.map(({ digest }) => digest);
  const listed = and(isAnyOf(purges.digest, digests, "text"), lte(purges.requestedAt, latest));
  await tx.update(purges).set({ doneAt: at }).where(listed);
}
