import type { Database } from "bun:sqlite";
import type { ContentRows } from "../../domain/ports/store/contents.ts";
import type { Connection } from "./connection.ts";

/** Content that is also an encoding of other content stays as long as that. */
const UNREFERENCED = `NOT EXISTS (SELECT 1 FROM deployment_contents WHERE content_id = contents.id)
  AND NOT EXISTS (SELECT 1 FROM encodings WHERE encodings.digest = contents.digest)`;

export function contentRows({ raw, write }: Connection): ContentRows {
  const { find, unknown, page, last, unreferenced, condemn, condemned, forget } = prepareStatements(raw);

  return {
    async find(digests) {
      const rows = find.all(JSON.stringify(digests));
      return new Map(rows.map(({ digest, condemnedAt }) => [digest, { condemnedAt }]));
    },

    async unknown(digests) {
      return unknown.all(JSON.stringify(digests)).map(({ digest }) => digest);
    },

    async *list() {
      let after = 0;
      while (true) {
        const rows = page.all(after);
        for (const { digest, size } of rows) yield { digest, size };
        if (rows.length === 0) return;
        after = rows.at(-1)!.id;
      }
    },

    async *condemnUnreferenced(before, at, stride) {
      const end = last.get()?.id ?? 0;
      for (let from = 0; from < end; from += stride) {
        // Usually there is nothing to condemn, and a write would wait for the disk.
        if (unreferenced.get(from, from + stride, before) === null) yield 0;
        else yield (await write(() => condemn.run(at, from, from + stride, before))).changes;
      }
    },

    async listCondemned(before, after, limit) {
      return condemned.all(before, after, limit).map(({ digest }) => digest);
    },

    async deleteCondemned(digests) {
      await write(() => forget.run(JSON.stringify(digests)));
    },
  };
}

// --- internal ---

function prepareStatements(raw: Database) {
  return {
    find: raw.prepare<{ digest: string; condemnedAt: number | null }, [string]>(
      `SELECT digest, condemned_at AS condemnedAt FROM contents WHERE digest IN (SELECT value FROM json_each(?))`,
    ),
    unknown: raw.prepare<{ digest: string }, [string]>(
      `SELECT value AS digest FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM contents WHERE digest = value)
     AND NOT EXISTS (SELECT 1 FROM encodings WHERE digest = value)`,
    ),
    page: raw.prepare<{ id: number; digest: string; size: number }, [number]>(
      "SELECT id, digest, size FROM contents WHERE id > ? AND condemned_at IS NULL ORDER BY id LIMIT 1000",
    ),
    last: raw.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM contents"),
    unreferenced: raw.prepare<{ id: number }, [number, number, number]>(
      `SELECT id FROM contents WHERE id > ? AND id <= ? AND published_at < ? AND condemned_at IS NULL
     AND ${UNREFERENCED} LIMIT 1`,
    ),
    condemn: raw.prepare<void, [number, number, number, number]>(
      `UPDATE contents SET condemned_at = ? WHERE id > ? AND id <= ? AND published_at < ? AND condemned_at IS NULL
     AND ${UNREFERENCED}`,
    ),
    condemned: raw.prepare<{ digest: string }, [number, string, number]>(
      "SELECT digest FROM contents WHERE condemned_at < ? AND digest > ? ORDER BY digest LIMIT ?",
    ),
    forget: raw.prepare<void, [string]>(
      "DELETE FROM contents WHERE condemned_at IS NOT NULL AND digest IN (SELECT value FROM json_each(?))",
    ),
  };
}
