import type { Database } from "bun:sqlite";
import type { ContentCoding, EncodedContent, Encodings } from "../../domain/ports/store/encodings.ts";
import type { FileStore, StoredFile } from "../../domain/ports/store/files.ts";
import { requireDigest } from "./manifest-rows.ts";

/** Limits the search for sites that deploy every minute. It takes two microseconds per deployment. */
const MAX_FORMER_DEPLOYMENTS = 50;

/** A file with one of its encodings: there is a row for each, and one row if there is none. */
interface Row {
  readonly digest: string;
  readonly size: number;
  readonly isEncoded: number;
  readonly isLegacyText: number;
  readonly coding: ContentCoding | null;
  readonly encodedDigest: string;
  readonly encodedSize: number;
}

/** A subquery for the id instead of a join with the files, which takes 9 µs instead of 3. */
const contentOf = (id: string) => `
  SELECT contents.digest, contents.size, epoch IS NOT NULL AND ends_at IS NULL AS isEncoded,
    legacy_text AS isLegacyText,
    coding, encodings.digest AS encodedDigest, encodings.size AS encodedSize
  FROM contents LEFT JOIN encoding_claims ON encoding_claims.content_id = id
  LEFT JOIN encodings ON encodings.content_id = id WHERE id = (${id})`;

/** Prepared statements, because one runs for every visit whose response is not cached. */
export function fileStore(raw: Database): FileStore {
  const find = raw.prepare<Row, [number, string]>(
    contentOf("SELECT content_id FROM deployment_files WHERE deployment_id = ? AND path = ?"),
  );
  const has = raw.prepare<{ found: number }, [number, string]>(
    "SELECT 1 AS found FROM deployment_files WHERE deployment_id = ? AND path = ?",
  );
  // CROSS JOIN keeps the order: the latest deployment first, and none after the one that has the file.
  const findFormer = raw.prepare<Row, [number, number, string]>(
    contentOf(`
      SELECT content_id FROM (
        SELECT id AS former_id FROM deployments WHERE site_id = ? AND replaced_at >= ?
        ORDER BY replaced_at DESC LIMIT ${MAX_FORMER_DEPLOYMENTS})
      CROSS JOIN deployment_files ON deployment_id = former_id AND path = ? LIMIT 1`),
  );

  const begin = raw.prepare<void, []>("BEGIN");
  const commit = raw.prepare<void, []>("COMMIT");

  return {
    readTogether(work) {
      begin.run();
      try {
        return work();
      } finally {
        // A disk error ends the transaction by itself.
        if (raw.inTransaction) commit.run();
      }
    },

    find: (deploymentId, path) => toFile(path, find.all(deploymentId, path)),
    has: (deploymentId, path) => has.get(deploymentId, path) !== null,
    findFormer: (siteId, path, since) => toFile(path, findFormer.all(siteId, since, path)),
  };
}

// --- internal ---

const NO_ENCODINGS: Encodings = {};

function toFile(path: string, rows: readonly Row[]): StoredFile | null {
  const [row] = rows;
  if (row === undefined) return null;
  const { digest, size, isEncoded, isLegacyText } = row;
  const encodings = row.coding === null ? NO_ENCODINGS : encodingsIn(rows);
  return requireDigest({
    path,
    digest,
    size,
    encodings,
    isEncoded: isEncoded === 1,
    isLegacyText: isLegacyText === 1,
  });
}

function encodingsIn(rows: readonly Row[]): Encodings {
  const encodings: Partial<Record<ContentCoding, EncodedContent>> = {};
  for (const { coding, encodedDigest: digest, encodedSize: size } of rows) {
    if (coding !== null) encodings[coding] = { digest, size };
  }
  return encodings;
}
