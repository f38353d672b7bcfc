import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { apply, MIGRATIONS, migrate, userVersion } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";
import { columnsOf, contentOf, inDatabase, LATER, makeFilledDatabase, schemaOf } from "./testing/earlier-database.ts";

const CURRENT = MIGRATIONS.length;

/** The migrations of a later version. */
const NEXT = [...MIGRATIONS, LATER];

let folder: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "vitrine.db");
});

// If a table has none: add rows to testing/rows.sql.
test("a filled database has rows in every table, so that the tests below cover all of them", async () => {
  await makeFilledDatabase(file);
  const empty = Object.entries(contentOf(file)).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([table]) => table)).toEqual([]);
});

test("a database with rows in every table is intact, and the store reads it", async () => {
  await makeFilledDatabase(file);
  const store = openSqliteStore(file);
  const site = await store.sites.find("notes");
  const [newest] = await store.deployments.list(site?.id ?? 0, { limit: 1, before: null });
  const manifest = await store.deployments.manifest(newest?.id ?? 0);
  expect(manifest?.files.map(({ path }) => path)).toContain("index.html");
  expect(await store.checkIntegrity()).toEqual([]);
  store.close();
});

test.each([
  "DELETE FROM deployment_files WHERE deployment_id = 3 AND path = 'index.html'",
  "UPDATE deployment_files SET content_id = 1000 WHERE deployment_id = 3 AND path = 'index.html'",
])("the check reports a deployment with a lost file: %s", async (damage) => {
  await makeFilledDatabase(file);
  inDatabase(file, (db) => db.run(damage));
  const store = openSqliteStore(file);
  expect(await store.checkIntegrity()).toEqual(["notes#3 has another number of files than were deployed"]);
  store.close();
});

describe("a later version", () => {
  test("keeps every row, and makes the schema of a new database", async () => {
    await makeFilledDatabase(file);
    const [columns, before] = [columnsOf(file), contentOf(file)];
    expect(await migrate(file, NEXT)).toBe(1);
    const { later, ...after } = contentOf(file, columns);
    expect([after, later]).toEqual([before, [{ id: 1, name: "first" }]]);

    const fresh = join(folder, "fresh.db");
    expect(await migrate(fresh, NEXT)).toBe(NEXT.length);
    expect(schemaOf(file)).toEqual(schemaOf(fresh));
    expect(inDatabase(file, userVersion)).toBe(NEXT.length);
  });

  test("sets the database aside, readable for its owner only, before anything changes", async () => {
    await makeFilledDatabase(file);
    const [before, schema] = [contentOf(file), schemaOf(file)];
    await migrate(file, [...NEXT, "DELETE FROM sessions"]);
    const aside = `${file}.before-${NEXT.length}`;
    expect([contentOf(aside), schemaOf(aside)]).toEqual([before, schema]);
    expect(inDatabase(aside, userVersion)).toBe(CURRENT);
    expect(statSync(aside).mode & 0o777).toBe(0o600);
  });

  test("changes nothing when one of its migrations fails half-way", async () => {
    await makeFilledDatabase(file);
    const [before, schema] = [contentOf(file), schemaOf(file)];
    const failing = "DELETE FROM sessions; INSERT INTO nowhere VALUES (1)";
    await expect(migrate(file, [...NEXT, failing])).rejects.toThrow("no such table: nowhere");
    expect([contentOf(file), schemaOf(file)]).toEqual([before, schema]);
    expect(inDatabase(file, userVersion)).toBe(CURRENT);
  });
});

/** Starts a process that prints how many migrations it applied. */
function migrating() {
  const program = `
    import { MIGRATIONS, migrate } from "${import.meta.dir}/migrate.ts";
    import { LATER } from "${import.meta.dir}/testing/earlier-database.ts";
    console.log(await migrate(${JSON.stringify(file)}, [...MIGRATIONS, LATER]));
  `;
  return Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
}

describe("the copy that is set aside", () => {
  test("is private to its owner even while it is created", async () => {
    await makeFilledDatabase(file);
    inDatabase(file, (db) => db.run("UPDATE view_days SET visitors = zeroblob(8000000)"));
    const copy = `${file}.partial`;
    const program = `
      import { copyDatabase } from "${import.meta.dir}/copy-database.ts";
      copyDatabase(${JSON.stringify(file)}, ${JSON.stringify(copy)});
    `;
    // No file may have more than 500 blocks, so that the copy fails halfway and remains.
    const child = Bun.spawnSync(["sh", "-c", 'ulimit -f 500; exec "$0" -e "$1"', process.execPath, program]);
    expect(child.exitCode).not.toBe(0);
    expect(statSync(copy).size).toBeGreaterThan(0);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  test("does not remain if it cannot be finished", async () => {
    await makeFilledDatabase(file);
    mkdirSync(`${file}.before-${NEXT.length}/occupied`, { recursive: true });
    await expect(migrate(file, NEXT)).rejects.toThrow("EISDIR");
    expect(existsSync(`${file}.partial`)).toBe(false);
    expect(inDatabase(file, userVersion)).toBe(CURRENT);
  });
});

describe("several processes at once", () => {
  /** Returns what each of three processes printed. */
  async function migratedByThree(): Promise<string[]> {
    const processes = [1, 2, 3].map(migrating);
    const responses = await Promise.all(processes.map(({ stdout }) => stdout.text()));
    return responses.map((response) => response.trim()).sort();
  }

  test("wait for the first one, which migrates alone, and the copy set aside is complete", async () => {
    await makeFilledDatabase(file);
    // Large enough for the copy to take a while.
    inDatabase(file, (db) => db.run("UPDATE view_days SET visitors = zeroblob(32000000)"));
    const schema = schemaOf(file);
    expect(await migratedByThree()).toEqual(["0", "0", "1"]);
    const aside = `${file}.before-${NEXT.length}`;
    expect([inDatabase(aside, userVersion), schemaOf(aside)]).toEqual([CURRENT, schema]);
    expect(existsSync(`${file}.partial`)).toBe(false);
  });

  test("create a single database if there is none", async () => {
    expect(await migratedByThree()).toEqual(["0", "0", String(NEXT.length)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("check again after waiting: nothing is set aside or migrated twice", async () => {
    await makeFilledDatabase(file);
    const other = new Database(file, { strict: true });
    other.run("BEGIN IMMEDIATE");
    const waiting = migrate(file, NEXT);
    apply(other, LATER);
    other.run(`PRAGMA user_version = ${NEXT.length}`);
    other.run("COMMIT");
    other.close();
    expect(await waiting).toBe(0);
    expect(existsSync(`${file}.before-${NEXT.length}`)).toBe(false);
  });
});

test("a database of a newer schema is refused and not changed", async () => {
  await migrate(file, NEXT);
  const before = readFileSync(file);
  await expect(migrate(file)).rejects.toThrow("was made by a newer Vitrine");
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(existsSync(`${file}.partial`)).toBe(false);
});
