import type { Database } from "bun:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "bun";

/** A row for each file, so that a visit finds its own without the others; no key to contents, which would want an index. */
const FILES = `
CREATE TABLE deployment_files (
  deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  -- Of a content that deployment_contents names for the deployment.
  content_id INTEGER NOT NULL,
  PRIMARY KEY (deployment_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX deployments_by_replacement ON deployments (site_id, replaced_at) WHERE replaced_at IS NOT NULL;

-- What is left of a manifest beside its files: JSON under zstd.
ALTER TABLE manifests RENAME COLUMN body TO rules;
`;

interface FormerManifest {
  readonly files: readonly (readonly [path: string, digest: string, size: number])[];
  readonly redirects: readonly unknown[];
  readonly headers: readonly unknown[];
}

/** Files are inserted so many at a time: SQLite takes several times their text to read it. */
const FILES_AT_ONCE = 1000;

/** Moves the files of all manifests into rows. What is kept must be as this version wrote it, whatever comes later. */
export function deploymentFiles(db: Database): void {
  db.run(FILES);
  const ids = db.query<{ id: number }, []>("SELECT deployment_id AS id FROM manifests").all();
  const find = db.prepare<{ rules: Uint8Array }, [number]>("SELECT rules FROM manifests WHERE deployment_id = ?");
  const insert = db.prepare<void, [number, string]>(
    `INSERT INTO deployment_files (deployment_id, path, content_id)
     SELECT ?, file.value ->> 0, contents.id FROM json_each(?) AS file JOIN contents ON digest = file.value ->> 1`,
  );
  const update = db.prepare<void, [Uint8Array, number]>("UPDATE manifests SET rules = ? WHERE deployment_id = ?");
  const remove = db.prepare<void, [number]>("DELETE FROM manifests WHERE deployment_id = ?");
  for (const { id } of ids) {
    const manifest = decode(find.get(id)!.rules);
    if (manifest === null) {
      // Damaged, and served to nobody: `vitrine verify` says of the deployment that it has no manifest.
      remove.run(id);
      continue;
    }
    const { files, redirects, headers } = manifest;
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      insert.run(id, JSON.stringify(files.slice(at, at + FILES_AT_ONCE)));
    }
    const errorPageDepth = depthOfErrorPages(files.map(([path]) => path));
    update.run(zstdCompressSync(JSON.stringify({ redirects, headers, errorPageDepth }), { level: 3 }), id);
  }
}

function decode(body: Uint8Array): FormerManifest | null {
  try {
    return JSON.parse(new TextDecoder().decode(zstdDecompressSync(body))) as FormerManifest;
  } catch {
    return null;
  }
}

function depthOfErrorPages(paths: readonly string[]): number {
  const pages = paths.filter((path) => path === "404.html" || path.endsWith("/404.html"));
  return pages.reduce((deepest, path) => Math.max(deepest, path.split("/").length - 1), -1);
}
