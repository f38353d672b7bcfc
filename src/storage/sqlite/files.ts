import type { EncodingSizes } from "../../domain/ports/store/encodings.ts";
import type { FileStore, StoredFile } from "../../domain/ports/store/files.ts";
import type { Connection } from "./connection.ts";
import { requireDigest } from "./manifests.ts";

/** Somebody may deploy every minute; the search takes two microseconds for each deployment. */
const MAX_FORMER_DEPLOYMENTS = 50;

interface Row {
  readonly path: string;
  readonly digest: string;
  readonly size: number;
  readonly zstd: number | null;
  readonly br: number | null;
  readonly gzip: number | null;
  readonly isEncoded: number;
}

const COLUMNS = "path, digest, size, zstd, br, gzip, encodings.content_id IS NOT NULL AS isEncoded";
const CONTENT = `
  JOIN contents ON contents.id = deployment_files.content_id
  LEFT JOIN encodings ON encodings.content_id = contents.id`;

/** Prepared by hand: one of these runs for every visit whose answer is not in memory. */
export function fileStore({ raw }: Connection): FileStore {
  const find = raw.prepare<Row, [number, string]>(
    `SELECT ${COLUMNS} FROM deployment_files ${CONTENT} WHERE deployment_id = ? AND path = ?`,
  );
  const has = raw.prepare<{ found: number }, [number, string]>(
    "SELECT 1 AS found FROM deployment_files WHERE deployment_id = ? AND path = ?",
  );
  // CROSS JOIN keeps the order: the latest deployment first, and none after the one that has the file.
  const findFormer = raw.prepare<Row, [number, number, string]>(
    `SELECT ${COLUMNS} FROM (
       SELECT id FROM deployments WHERE site_id = ? AND replaced_at >= ?
       ORDER BY replaced_at DESC LIMIT ${MAX_FORMER_DEPLOYMENTS}) AS former
     CROSS JOIN deployment_files ON deployment_id = former.id AND path = ? ${CONTENT} LIMIT 1`,
  );

  return {
    find: (deploymentId, path) => toFile(find.get(deploymentId, path)),
    has: (deploymentId, path) => has.get(deploymentId, path) !== null,
    findFormer: (siteId, path, since) => toFile(findFormer.get(siteId, since, path)),
  };
}

// --- internal ---

function toFile(row: Row | null): StoredFile | null {
  if (row === null) return null;
  const { path, digest, size, zstd, br, gzip, isEncoded } = requireDigest(row);
  return { path, digest, size, encodings: encodingSizes({ zstd, br, gzip }), isEncoded: isEncoded === 1 };
}

function encodingSizes(columns: Pick<Row, "zstd" | "br" | "gzip">): EncodingSizes {
  return Object.fromEntries(Object.entries(columns).filter(([, size]) => size !== null));
}
