import type { EncodingSizes, EncodingStore } from "../../domain/ports/store/encodings.ts";
import type { Connection } from "./connection.ts";

interface Row {
  readonly digest: string;
  readonly zstd: number | null;
  readonly br: number | null;
  readonly gzip: number | null;
}

export function encodingStore({ raw, writeRouting }: Connection): EncodingStore {
  const ofDeployment = raw.prepare<Row, [number]>(
    `SELECT digest, zstd, br, gzip FROM deployment_contents
       JOIN encodings USING (content_id) JOIN contents ON contents.id = content_id
       WHERE deployment_id = ? AND coalesce(zstd, br, gzip) IS NOT NULL`,
  );
  const unfinished = raw.prepare<{ found: number }, [number]>(
    `SELECT 1 AS found FROM deployment_contents WHERE deployment_id = ?
       AND NOT EXISTS (SELECT 1 FROM encodings WHERE encodings.content_id = deployment_contents.content_id) LIMIT 1`,
  );
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
    async ofDeployment(deploymentId) {
      // Asked first: what is recorded in between is then read again, never missed.
      const complete = unfinished.get(deploymentId) === null;
      const sizes = new Map<string, EncodingSizes>();
      for (const { digest, ...row } of ofDeployment.all(deploymentId)) sizes.set(digest, withoutNulls(row));
      return { sizes, complete };
    },

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

function withoutNulls(row: Omit<Row, "digest">): EncodingSizes {
  return Object.fromEntries(Object.entries(row).filter(([, size]) => size !== null));
}
