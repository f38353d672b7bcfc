// Upgrades the data folder of a development version, before the first release, to the schema of this version. The
// database of before stays beside it, as `vitrine.db.development`. Encodings that were stored beside their content are
// deleted: they are made again. The next release deletes this script.
//   node scripts/with-bun.mjs scripts/from-development.ts DATA-FOLDER
import { Database } from "bun:sqlite";
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { syncPath } from "../src/storage/disk/sync.ts";
import { LOGS } from "../src/storage/sqlite/fold-log.ts";
import { knownSchema, migrate, userVersion } from "../src/storage/sqlite/migrate.ts";

/** The schema of the last development version. Earlier versions can be upgraded to it by starting it once. */
const DEVELOPMENT_SCHEMA = 28;

const [folder] = process.argv.slice(2);
if (folder === undefined) fail("usage: scripts/from-development.ts DATA-FOLDER");
const file = join(folder, "vitrine.db");
if (!existsSync(file)) fail(`there is no database in ${folder}`);
const schema = schemaOf(file);
if (schema <= knownSchema()) fail(`${file} is not from a development version: it has schema ${schema}`);
if (schema < DEVELOPMENT_SCHEMA) fail(`${file} has schema ${schema}: start the last development version once first`);

const upgraded = `${file}.upgraded`;
rmSync(upgraded, { force: true });
await migrate(upgraded);
copyRows(file, upgraded);
// The database is there at every moment.
linkSync(file, `${file}.development`);
renameSync(upgraded, file);
syncPath(folder);
for (const log of LOGS) rmSync(upgraded + log, { force: true });
for (const encoding of new Glob("content/[0-9a-f][0-9a-f]/*.{zst,br,gz}").scanSync(folder))
  rmSync(join(folder, encoding));
console.log(`${file} has the schema of this version. The former database is ${file}.development.`);

/** Waits for nobody: while a server uses the database, the copy fails. */
function schemaOf(path: string): number {
  const db = new Database(path, { strict: true });
  try {
    // Nothing remains in the log, which keeps its name when the database is renamed.
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.run("PRAGMA journal_mode = DELETE");
    return userVersion(db);
  } catch (error) {
    return fail(`${path} is in use: stop the server first (${error instanceof Error ? error.message : error})`);
  } finally {
    db.close();
  }
}

/** Copies all rows, with the columns that both schemas have. */
function copyRows(from: string, to: string): void {
  const db = new Database(to, { strict: true });
  db.run("ATTACH ? AS former", [from]);
  db.transaction(() => {
    const tables = db.query<{ name: string }, []>(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name IN (SELECT name FROM former.sqlite_master)",
    );
    // The triggers of the audit log allow no change of its anchor to another entry.
    const triggers = db
      .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
      .all();
    for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`);
    for (const { name } of tables.all()) {
      const columns = columnsOf(db, "main", name).filter((column) => columnsOf(db, "former", name).includes(column));
      const list = columns.map((column) => `"${column}"`).join(", ");
      db.run(`DELETE FROM main."${name}"`);
      db.run(`INSERT INTO main."${name}" (${list}) SELECT ${list} FROM former."${name}"`);
    }
    for (const { sql } of triggers) db.run(sql);
  })();
  const orphans = db.query("PRAGMA main.foreign_key_check").all();
  db.run("DETACH former");
  // The rows must be in the file that is renamed, and not in its log.
  const { busy } = db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? { busy: 1 };
  db.close();
  if (busy) fail(`the log of ${to} could not be merged: try again`);
  if (orphans.length > 0)
    fail(`${from} has rows that refer to missing ones: run vitrine doctor with the version before`);
}

function columnsOf(db: Database, schema: string, table: string): string[] {
  return db
    .query<{ name: string }, [string, string]>("SELECT name FROM pragma_table_info(?, ?)")
    .all(table, schema)
    .map(({ name }) => name);
}

function fail(message: string): never {
  console.error(`error: ${message}`);
  process.exit(1);
}
