import { and, asc, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { ContentRows } from "../../domain/ports/store/contents.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { countRows, first, rowsOf } from "./rows.ts";
import { contents } from "./schema.ts";
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
      for (let after = 0; ; ) {
        const page = await read((db) => listKept(db, after));
        for (const { digest, size } of page) yield { digest, size };
        const last = page.at(-1);
        if (!last) return;
        after = last.id;
      }
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
  };
}

// --- internal ---

function isAmong(digests: readonly string[]) {
  return isAnyOf(contents.digest, digests, "text");
}

function listKept(db: Drizzle, after: number) {
  const { id, digest, size, condemnedAt } = contents;
  const kept = and(gt(id, after), isNull(condemnedAt));
  return db.select({ id, digest, size }).from(contents).where(kept).orderBy(asc(id)).limit(ROWS_AT_ONCE).execute();
}

/**
 * Condemns the found contents, and returns their number. The rows are locked before they are checked again. A
 * publication that uses one has also locked it: either it is seen here, or it finds the content condemned.
 */
async function condemn({ read, write }: Pick<Connection, "read" | "write">, found: SQL, at: number): Promise<number> {
  const { id } = contents;
  // Usually there is nothing to condemn, and a write would wait for the disk.
  if ((await read((db) => first(db.select({ id }).from(contents).where(found).limit(1)))) === null) return 0;
  return write(async (tx) => {
    const rows = await tx.select({ id }).from(contents).where(found).orderBy(asc(id)).for("update");
    const ids = rows.map((row) => row.id);
    const locked = isAnyOf(id, ids, "bigint");
    return countRows(tx.update(contents).set({ condemnedAt: at }).where(and(locked, found)).returning({ id }));
  });
}
