import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { DeploymentRules, Manifest, ManifestFile } from "../../domain/model/manifest.ts";
import { decodeRules, requireDigest } from "../visits/manifest-rows.ts";
import type { Drizzle } from "./connection.ts";
import { prepared } from "./prepared.ts";
import { first, rowsOf } from "./rows.ts";
import { contents, deploymentFiles, manifests } from "./schema.ts";
import { isAnyOf, rowsAs } from "./sql.ts";

const rulesOfDeployment = prepared((db) =>
  db
    .select({ rules: manifests.rules })
    .from(manifests)
    .where(eq(manifests.deploymentId, sql.placeholder("deploymentId"))),
);

/** Returns the manifest of a deployment without its files; null if it was deleted. */
export async function readRules(db: Drizzle, deploymentId: number): Promise<DeploymentRules | null> {
  const row = await first(rulesOfDeployment(db, { deploymentId }));
  return row && decodeRules(row.rules);
}

export async function readManifest(db: Drizzle, deploymentId: number): Promise<Manifest | null> {
  const rules = await readRules(db, deploymentId);
  if (rules === null) return null;
  const files = await db
    .select({ path: deploymentFiles.path, digest: contents.digest, size: contents.size })
    .from(deploymentFiles)
    .innerJoin(contents, eq(contents.id, deploymentFiles.contentId))
    .where(eq(deploymentFiles.deploymentId, deploymentId))
    .orderBy(asc(deploymentFiles.path));
  return { files: files.map(requireDigest), redirects: rules.redirects, headers: rules.headers };
}

/**
 * Returns the ids of the contents by digest, and keeps them from being condemned until the transaction ends; null if
 * one of them has been swept. If the caller will mark some of them, no other publication can use them until then: two
 * that share a row and both change it afterwards would wait for each other.
 */
export async function findContents(
  tx: Drizzle,
  digests: readonly string[],
  { forMarking }: { readonly forMarking: boolean },
): Promise<Map<string, number> | null> {
  const wanted = [...new Set(digests)].sort();
  const ids = new Map<string, number>();
  for (const some of inChunks(wanted)) {
    const rows = await tx
      .select({ digest: contents.digest, id: contents.id })
      .from(contents)
      .where(and(isNull(contents.condemnedAt), isAnyOf(contents.digest, some, "text")))
      .orderBy(asc(contents.digest))
      .for(forMarking ? "no key update" : "share");
    for (const { digest, id } of rows) ids.set(digest, id);
  }
  return ids.size < wanted.length ? null : ids;
}

/** Adds a row for each file and for each new content; `known` has the existing contents. */
export async function addFiles(
  tx: Drizzle,
  deployment: { readonly id: number; readonly createdAt: number },
  files: readonly ManifestFile[],
  known: ReadonlyMap<string, number>,
): Promise<void> {
  const ids = new Map([...known, ...(await addContents(tx, files, known, deployment.createdAt))]);
  for (const some of inChunks([...new Set(ids.values())])) {
    await tx.execute(sql`
      INSERT INTO deployment_contents (deployment_id, content_id)
      SELECT ${deployment.id}, id FROM ${rowsAs("used", { id: ["bigint", some] })}`);
  }
  for (const some of inChunks(files)) {
    const added = rowsAs("added", {
      path: ["text", some.map(({ path }) => path)],
      id: ["bigint", some.map(({ digest }) => ids.get(digest) as number)],
    });
    await tx.execute(sql`
      INSERT INTO deployment_files (deployment_id, path, content_id) SELECT ${deployment.id}, path, id FROM ${added}`);
  }
}

/** Marks contents as texts that are not UTF-8, those of former deployments among them. */
export async function markLegacyTexts(tx: Drizzle, digests: readonly string[]): Promise<void> {
  for (const some of inChunks(digests)) {
    const unmarked = and(isAnyOf(contents.digest, some, "text"), eq(contents.legacyText, false));
    await tx.update(contents).set({ legacyText: true }).where(unmarked);
  }
}

// --- internal ---

/**
 * Adds unknown contents in the order of their digests, so that two deployments with the same content wait instead of
 * causing a deadlock.
 */
async function addContents(
  tx: Drizzle,
  files: readonly ManifestFile[],
  known: ReadonlyMap<string, number>,
  createdAt: number,
): Promise<ReadonlyMap<string, number>> {
  const added = new Map(files.filter(({ digest }) => !known.has(digest)).map(({ digest, size }) => [digest, size]));
  const ids = new Map<string, number>();
  for (const some of inChunks([...added].sort(([one], [other]) => (one < other ? -1 : 1)))) {
    const added = rowsAs("added", {
      digest: ["text", some.map(([digest]) => digest)],
      size: ["bigint", some.map(([, size]) => size)],
    });
    const add = sql`
      INSERT INTO contents (digest, size, published_at)
      SELECT digest, size, CAST(${createdAt} AS bigint) FROM ${added} WHERE true
      ON CONFLICT (digest) DO UPDATE SET published_at = excluded.published_at, condemned_at = NULL
      RETURNING digest, id`;
    for (const { digest, id } of await rowsOf<{ digest: string; id: string }>(tx, add)) ids.set(digest, Number(id));
  }
  return ids;
}

const ROWS_AT_ONCE = 5000;

function inChunks<T>(rows: readonly T[]): (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) chunks.push(rows.slice(at, at + ROWS_AT_ONCE));
  return chunks;
}
