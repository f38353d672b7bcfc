import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { FileEntry, FileQuery } from "../../domain/ports/store/deployments.ts";
import { byDatabase } from "./by-database.ts";
import type { Drizzle } from "./connection.ts";
import { rowsOf } from "./rows.ts";
import { contents, deploymentFiles } from "./schema.ts";
import { contains } from "./sql.ts";

/** Returns a page of the files of a deployment by path. */
export function listFiles(
  db: Drizzle,
  deploymentId: number,
  { within, ...page }: FileQuery,
): Promise<readonly FileEntry[]> {
  return "folder" in within
    ? listFolder(db, deploymentId, within.folder, page)
    : search(db, deploymentId, within.text, page);
}

// --- internal ---

type Page = Pick<FileQuery, "after" | "limit">;

/** Everything up to and including the first slash of a text, or the whole text. */
const FIRST_PART = byDatabase({
  postgres: sql`CASE WHEN strpos(rest, '/') > 0 THEN left(rest, strpos(rest, '/')) ELSE rest END`,
  sqlite: sql`CASE WHEN instr(rest, '/') > 0 THEN substr(rest, 1, instr(rest, '/')) ELSE rest END`,
});

async function listFolder(db: Drizzle, deploymentId: number, folder: string, { after, limit }: Page) {
  const statement = sql`
    SELECT entry, count(*) AS files, sum(size) AS size FROM (
      SELECT ${FIRST_PART} AS entry, size FROM (
        SELECT substr(path, length(CAST(${folder} AS text)) + 1) AS rest, size
        FROM deployment_files JOIN contents ON contents.id = content_id
        WHERE deployment_id = ${deploymentId} AND ${isIn(folder)}) AS below) AS entries
    WHERE entry > ${after.slice(folder.length)} GROUP BY entry ORDER BY entry LIMIT ${limit}`;
  const rows = await rowsOf<{ readonly entry: string; readonly files: string; readonly size: string }>(db, statement);
  return rows.map(({ entry, files, size }) => ({ path: folder + entry, files: Number(files), size: Number(size) }));
}

/** A range of the index: the paths in a folder begin with it, and `0` is the character after the slash at its end. */
function isIn(folder: string): SQL {
  return folder === "" ? sql`true` : sql`path > ${folder} AND path < ${`${folder.slice(0, -1)}0`}`;
}

async function search(db: Drizzle, deploymentId: number, text: string, { after, limit }: Page) {
  const { path } = deploymentFiles;
  const found = and(eq(deploymentFiles.deploymentId, deploymentId), gt(path, after), contains(path, text));
  const rows = await db
    .select({ path, size: contents.size })
    .from(deploymentFiles)
    .innerJoin(contents, eq(contents.id, deploymentFiles.contentId))
    .where(found)
    .orderBy(asc(path))
    .limit(limit);
  return rows.map((file) => ({ ...file, files: 1 }));
}
