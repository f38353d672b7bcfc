import type { ContentStore } from "../../../domain/ports/store/contents.ts";
import type { Connection } from "./connection.ts";

export function contentStore({ raw, write }: Connection): ContentStore {
  const known = raw.prepare<{ id: number }, [string]>("SELECT id FROM contents WHERE digest = ?");
  const page = raw.prepare<{ id: number; digest: string; size: number }, [number]>(
    "SELECT id, digest, size FROM contents WHERE id > ? ORDER BY id LIMIT 1000",
  );
  const unreferenced = raw.prepare<{ id: number; digest: string }, [number, number]>(
    `SELECT id, digest FROM contents WHERE published_at < ?
       AND NOT EXISTS (SELECT 1 FROM deployment_contents WHERE content_id = contents.id) LIMIT ?`,
  );
  const forget = raw.prepare<void, [number]>("DELETE FROM contents WHERE id = ?");

  return {
    knows(digest) {
      return known.get(digest) !== null;
    },

    async *list() {
      let last = 0;
      while (true) {
        const rows = page.all(last);
        for (const { digest, size } of rows) yield { digest, size };
        if (rows.length === 0) return;
        last = rows.at(-1)!.id;
      }
    },

    async forgetUnreferenced(before, limit, discard) {
      return write(() => {
        const rows = unreferenced.all(before, limit);
        for (const { id, digest } of rows) {
          discard(digest);
          forget.run(id);
        }
        return rows.map((row) => row.digest);
      });
    },
  };
}
