import type { DeploymentRules, Manifest, ManifestFile } from "../../domain/model/manifest.ts";
import { decodeRules, requireDigest } from "../records/manifest-rows.ts";
import type { Connection } from "./connection.ts";

/** Reads the parts of manifests: rules in one row, and a row for each file. */
export function manifestStatements({ raw }: Connection) {
  const rules = raw.prepare<{ rules: Uint8Array }, [number]>("SELECT rules FROM manifests WHERE deployment_id = ?");
  const files = raw.prepare<ManifestFile, [number]>(
    `SELECT path, digest, size FROM deployment_files JOIN contents ON contents.id = content_id
     WHERE deployment_id = ? ORDER BY path`,
  );
  const readRules = (deploymentId: number): DeploymentRules | null => {
    const row = rules.get(deploymentId);
    return row && decodeRules(row.rules);
  };
  return {
    readRules,

    read(deploymentId: number): Manifest | null {
      const found = readRules(deploymentId);
      return (
        found && {
          files: files.all(deploymentId).map(requireDigest),
          redirects: found.redirects,
          headers: found.headers,
        }
      );
    },
  };
}

/** Their digests take 67 kB of text, and SQLite needs several times as much to read it. */
const ROWS_AT_ONCE = 1000;

/**
 * Writes the files of a deployment with prepared statements. Building a query for each content would take longer than
 * running it.
 */
export function manifestWriter({ raw }: Connection) {
  const known = raw.prepare<{ digest: string; id: number }, [string]>(
    "SELECT digest, id FROM contents WHERE condemned_at IS NULL AND digest IN (SELECT value FROM json_each(?))",
  );
  const add = raw.prepare<{ id: number }, [string, number, number]>(
    `INSERT INTO contents (digest, size, published_at) VALUES (?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET published_at = excluded.published_at, condemned_at = NULL RETURNING id`,
  );
  const refer = raw.prepare<void, [number, string]>(
    "INSERT INTO deployment_contents (deployment_id, content_id) SELECT ?, value FROM json_each(?)",
  );
  const addRows = raw.prepare<void, [number, string]>(
    "INSERT INTO deployment_files (deployment_id, path, content_id) SELECT ?, key, value FROM json_each(?)",
  );
  return {
    /** Returns the ids of the contents by digest; null if one of them has been swept. */
    findContents(digests: readonly string[]): Map<string, number> | null {
      const wanted = [...new Set(digests)];
      const rows = inChunks(wanted).flatMap((some) => known.all(JSON.stringify(some)));
      return rows.length < wanted.length ? null : new Map(rows.map(({ digest, id }) => [digest, id]));
    },

    /** Adds a row for each file, in the order of the paths, and for each new content. `ids` has the known contents. */
    addFiles(deploymentId: number, files: readonly ManifestFile[], ids: Map<string, number>, createdAt: number): void {
      for (const { digest, size } of files) {
        if (!ids.has(digest)) ids.set(digest, add.get(digest, size, createdAt)!.id);
      }
      for (const some of inChunks([...new Set(ids.values())].sort((one, other) => one - other))) {
        refer.run(deploymentId, JSON.stringify(some));
      }
      // As text, because an object would treat "__proto__" specially and sort "7" before "10".
      for (const some of inChunks(files)) {
        const pairs = some.map(({ path, digest }) => `${JSON.stringify(path)}:${ids.get(digest)}`);
        addRows.run(deploymentId, `{${pairs.join()}}`);
      }
    },
  };
}

// --- internal ---

function inChunks<T>(rows: readonly T[]): (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) chunks.push(rows.slice(at, at + ROWS_AT_ONCE));
  return chunks;
}
