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

/** The listed entry of a path in a folder: the path itself, or its part up to the next slash. `rest` is below the folder. */
const ENTRY = byDatabase({
  postgres: sql`CASE WHEN strpos(rest, '/') > 0 THEN left(path, length(path) - length(rest) + strpos(rest, '/')) ELSE path END`,
  sqlite: sql`CASE WHEN instr(rest, '/') > 0 THEN substr(path, 1, length(path) - length(rest) + instr(rest, '/')) ELSE path END`,
});

/** Seeks each entry in the index, instead of reading 50,000 paths for a page of 200. Only shown folders are counted. */
async function listFolder(db: Drizzle, deploymentId: number, folder: string, { after, limit }: Page) {
  const within = folder === "" ? sql`true` : sql`path < ${endOf(folder)}`;
  const firstFrom = (start: SQL) => sql`(
    SELECT ${ENTRY} FROM (
      SELECT path, substr(path, length(CAST(${folder} AS text)) + 1) AS rest FROM deployment_files
      WHERE deployment_id = ${deploymentId} AND path >= ${start} AND ${within} ORDER BY path LIMIT 1) AS first)`;
  // CROSS JOIN keeps SQLite from reading all files for each entry.
  const statement = sql`
    WITH RECURSIVE entries (entry, number) AS (
      SELECT ${firstFrom(sql`${after === "" ? folder : endOf(after)}`)}, 1
      UNION ALL SELECT ${firstFrom(END)}, number + 1 FROM entries WHERE entry IS NOT NULL AND number < ${limit})
    SELECT entry, count(*) AS files, sum(size) AS size FROM entries CROSS JOIN deployment_files CROSS JOIN contents
    WHERE deployment_id = ${deploymentId} AND path >= entry AND path < ${END} AND contents.id = content_id
    GROUP BY entry ORDER BY entry`;
  const rows = await rowsOf<{ readonly entry: string; readonly files: string; readonly size: string }>(db, statement);
  return rows.map(({ entry, files, size }) => ({ path: entry, files: Number(files), size: Number(size) }));
}

/** The character after the slash: all paths in a folder come before its name with this. */
const AFTER_SLASH = "0";
/** The first character that a path may hold: no path is between a file's path and the same with this. */
const FIRST_CHARACTER = "\u0001";

/** Returns the end of an entry's range in the order of paths. */
function endOf(entry: string): string {
  return entry.endsWith("/") ? entry.slice(0, -1) + AFTER_SLASH : entry + FIRST_CHARACTER;
}

/** The same in SQL, for the column `entry`. */
const END = sql`CASE WHEN entry LIKE '%/' THEN rtrim(entry, '/') || ${AFTER_SLASH} ELSE entry || ${FIRST_CHARACTER} END`;

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
