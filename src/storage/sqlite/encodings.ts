import type { EncodingStore } from "../../domain/ports/store/encodings.ts";
import type { Connection } from "./connection.ts";

export function encodingStore({ raw, writeRouting }: Connection): EncodingStore {
  const pending = raw.prepare<{ digest: string; size: number }, [number]>(
    `SELECT DISTINCT contents.id, digest, size FROM sites
       JOIN deployment_contents ON deployment_id = active_deployment_id JOIN contents ON contents.id = content_id
       WHERE NOT EXISTS (SELECT 1 FROM encodings WHERE encodings.content_id = contents.id)
       ORDER BY contents.id DESC LIMIT ?`,
  );
  const record = raw.prepare<void, [number | null, number | null, number | null, string]>(
    `INSERT OR REPLACE INTO encodings (content_id, zstd, br, gzip)
       SELECT id, ?, ?, ? FROM contents WHERE digest = ?`,
  );

  return {
    async pending(limit) {
      return pending.all(limit).map(({ digest, size }) => ({ digest, size }));
    },

    async record(outcomes) {
      await writeRouting(() => {
        for (const { digest, sizes } of outcomes) {
          record.run(sizes.zstd ?? null, sizes.br ?? null, sizes.gzip ?? null, digest);
        }
      });
    },
  };
}
