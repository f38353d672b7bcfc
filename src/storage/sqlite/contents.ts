import type { ContentStore } from "../../domain/ports/store/contents.ts";
import type { Connection } from "./connection.ts";

const UNREFERENCED =
  "published_at < ? AND NOT EXISTS (SELECT 1 FROM deployment_contents WHERE content_id = contents.id)";

export function contentStore({ raw, write }: Connection): ContentStore {
  const known = raw.prepare<{ id: number }, [string]>("SELECT id FROM contents WHERE digest = ?");
  const page = raw.prepare<{ id: number; digest: string; size: number }, [number]>(
    "SELECT id, digest, size FROM contents WHERE id > ? ORDER BY id LIMIT 1000",
  );
  const last = raw.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM contents");
  const unreferencedAmong = raw.prepare<{ digest: string }, [number, number, number]>(
    `SELECT digest FROM contents WHERE id > ? AND id <= ? AND ${UNREFERENCED}`,
  );
  const unreferenced = raw.prepare<{ id: number }, [string, number]>(
    `SELECT id FROM contents WHERE digest = ? AND ${UNREFERENCED}`,
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

    async *listUnreferenced(before, stride) {
      const end = last.get()?.id ?? 0;
      for (let from = 0; from < end; from += stride) {
        yield unreferencedAmong.all(from, from + stride, before).map(({ digest }) => digest);
      }
    },

    async forgetUnreferenced(digests, before, discard) {
      return write(() =>
        digests.filter((digest) => {
          const row = unreferenced.get(digest, before);
          if (row === null) return false;
          discard(digest);
          forget.run(row.id);
          return true;
        }),
      );
    },
  };
}
