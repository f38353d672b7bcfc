import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { type Manifest, type ManifestFile, rulesOf } from "../../domain/model/manifest.ts";
import { apply, MIGRATIONS, migrate, userVersion } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";
import { columnsOf, contentOf, inDatabase, makeEarlierDatabase, schemaOf } from "./testing/earlier-database.ts";

/** SHA-256 of the released migrations. They must never change, because existing databases were created by them. */
const RELEASED = [["0001_initial.sql", "ba3130d6032b91644f9c9c33fee390b84c01fe200c6ac8fd1bb84a7f52cf4fd6"]] as const;

/** The schema since which an encoding has its own digest. */
const ENCODINGS_AS_CONTENT = 22;

const LATEST = MIGRATIONS.length;
const VERSIONS = MIGRATIONS.map((_, index) => index + 1);

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-migrate-"));
  file = join(folder, "vitrine.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

test.each(RELEASED)("%s is unchanged since its release", (name, digest) => {
  const sql = readFileSync(join(import.meta.dir, "migrations", name));
  expect(new Bun.CryptoHasher("sha256").update(sql).digest("hex")).toBe(digest);
});

describe.each(VERSIONS)("schema %d", (version) => {
  // If a table has none: add rows to testing/rows-NNNN.sql of the migration that created it.
  test("has a row in every table, so that the tests below cover all of them", async () => {
    await makeEarlierDatabase(file, version);
    const empty = Object.entries(contentOf(file)).filter(([, rows]) => rows.length === 0);
    expect(empty.map(([table]) => table)).toEqual([]);
  });

  test("becomes the newest with every row kept, and equals a new one", async () => {
    await makeEarlierDatabase(file, version);
    const columns = columnsOf(file);
    // The files of manifests become rows, which a test below compares. Encodings are created again.
    delete columns.manifests;
    if (version < ENCODINGS_AS_CONTENT) delete columns.encodings;
    const { manifests: _, encodings = [], ...kept } = contentOf(file);
    const before = version < ENCODINGS_AS_CONTENT ? kept : { ...kept, encodings };
    expect(await migrate(file)).toBe(LATEST - version);
    const after = contentOf(file, columns);
    for (const [table, rows] of Object.entries(before)) expect(after[table]).toEqual(expect.arrayContaining([...rows]));

    const fresh = join(folder, "fresh.db");
    await migrate(fresh);
    expect(schemaOf(file)).toEqual(schemaOf(fresh));
    expect(inDatabase(file, userVersion)).toBe(LATEST);
  });

  test("can be used by the store once it is the newest", async () => {
    await makeEarlierDatabase(file, version);
    await migrate(file);
    const store = openSqliteStore(file);
    const site = await store.sites.find("notes");
    const [newest] = await store.deployments.list(site?.id ?? 0, { limit: 1, before: null });
    const manifest = await store.deployments.manifest(newest?.id ?? 0);
    expect(manifest?.files.map(({ path }) => path)).toContain("index.html");
    expect(await store.checkIntegrity()).toEqual([]);
    store.close();
  });
});

// Neither depends on what a migration does: the oldest schema needs all of them, the newest none.
describe.each([1, LATEST])("schema %d", (version) => {
  test("is set aside, readable for its owner only, before anything changes", async () => {
    await makeEarlierDatabase(file, version);
    const [before, schema] = [contentOf(file), schemaOf(file)];
    await migrate(file, [...MIGRATIONS, "DELETE FROM sessions; CREATE TABLE later (id INTEGER) STRICT"]);
    const aside = `${file}.before-${version + 1}`;
    expect([contentOf(aside), schemaOf(aside)]).toEqual([before, schema]);
    expect(inDatabase(aside, userVersion)).toBe(version);
    expect(statSync(aside).mode & 0o777).toBe(0o600);
  });

  test("is not changed when a migration fails half-way", async () => {
    await makeEarlierDatabase(file, version);
    const [before, schema] = [contentOf(file), schemaOf(file)];
    const failing = "CREATE TABLE later (id INTEGER) STRICT; DELETE FROM sessions; INSERT INTO nowhere VALUES (1)";
    await expect(migrate(file, [...MIGRATIONS, failing])).rejects.toThrow("no such table: nowhere");
    expect([contentOf(file), schemaOf(file)]).toEqual([before, schema]);
    expect(inDatabase(file, userVersion)).toBe(version);
  });
});

test("OpenID Connect users who never signed in are deleted, and nobody else", async () => {
  const before = MIGRATIONS.findIndex(
    (step) => typeof step === "string" && step.startsWith("-- Strangers whom sign-in refused"),
  );
  await makeEarlierDatabase(file, before);
  const people = [
    [11, "oidc", "https://id.example.org#1", "refused", 0, null],
    [12, "oidc", "https://id.example.org#2", "owner", 1, null],
    [13, "oidc", "https://id.example.org#3", "reader", 0, null],
    [14, "oidc", "https://id.example.org#4", "signed-in", 0, null],
    [15, "oidc", "https://id.example.org#5", "frozen", 0, '{"at":1,"reason":null}'],
    [16, "oidc", "login:invited", "invited", 0, null],
    [17, "github", "1017", "refused", 0, null],
  ] as const;
  inDatabase(file, (db) => {
    for (const [id, provider, subject, login, mayOwn, frozen] of people) {
      db.run(
        "INSERT INTO users (id, provider, subject, login, may_own, frozen, created_at) VALUES (?, ?, ?, ?, ?, ?, 0)",
        [id, provider, subject, login, mayOwn, frozen],
      );
    }
    db.run("INSERT INTO readers (site_id, user_id, created_at) VALUES (2, 13, 0)");
    db.run(`INSERT INTO sessions (user_id, token_hash, created_at, last_used_at, expires_at, idle_limit, client_name)
      VALUES (14, 'hash', 0, 0, 0, 0, 'Firefox')`);
  });
  await migrate(file);
  const ids = inDatabase(file, (db) => db.query<{ id: number }, []>("SELECT id FROM users WHERE id > 10").all());
  expect(ids.map(({ id }) => id)).toEqual([12, 13, 14, 15, 16, 17]);
});

describe("the files of manifests", () => {
  const WITH_BODIES = 6;

  /** Returns the manifests of a database in their former format, by deployment. */
  function formerManifests(): Map<number, Manifest> {
    const rows = inDatabase(file, (db) =>
      db.query<{ id: number; body: Uint8Array }, []>("SELECT deployment_id AS id, body FROM manifests").all(),
    );
    const decoded = rows.map(({ id, body }): [number, Manifest] => {
      const { files, ...rules } = JSON.parse(zstdDecompressSync(body).toString());
      const named = files.map(([path, digest, size]: [string, string, number]) => ({ path, digest, size }));
      return [
        id,
        { ...rules, files: named.sort((one: ManifestFile, other: ManifestFile) => (one.path < other.path ? -1 : 1)) },
      ];
    });
    return new Map(decoded);
  }

  test("become rows without losses", async () => {
    await makeEarlierDatabase(file, WITH_BODIES);
    const before = formerManifests();
    expect(before.size).toBe(4);
    await migrate(file);
    const store = openSqliteStore(file);
    for (const [id, manifest] of before) {
      expect(await store.deployments.manifest(id)).toEqual(manifest);
      expect(await store.deployments.rules(id)).toEqual(rulesOf(manifest));
    }
    store.close();
  });

  test("with a damaged manifest are reported by the check, and do not prevent the start", async () => {
    await makeEarlierDatabase(file, WITH_BODIES);
    inDatabase(file, (db) => db.run("UPDATE manifests SET body = X'00' WHERE deployment_id = 3"));
    await migrate(file);
    const store = openSqliteStore(file);
    expect(await store.checkIntegrity()).toEqual(["notes#3 has no manifest"]);
    store.close();
  });

  test("with a lost row are reported by the check", async () => {
    await makeEarlierDatabase(file, LATEST);
    inDatabase(file, (db) => db.run("DELETE FROM deployment_files WHERE deployment_id = 3 AND path = 'index.html'"));
    const store = openSqliteStore(file);
    expect(await store.checkIntegrity()).toEqual(["notes#3 has another number of files than were deployed"]);
    store.close();
  });
});

/** Starts a process that prints how many migrations it applied. */
function migrating() {
  const program = `
    import { migrate } from "${import.meta.dir}/migrate.ts";
    console.log(await migrate(${JSON.stringify(file)}));
  `;
  return Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
}

describe("the copy that is set aside", () => {
  const before = LATEST - 1;

  test("is private to its owner even while it is created", async () => {
    await makeEarlierDatabase(file, before);
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
    await makeEarlierDatabase(file, before);
    mkdirSync(`${file}.before-${LATEST}/occupied`, { recursive: true });
    await expect(migrate(file)).rejects.toThrow("EISDIR");
    expect(existsSync(`${file}.partial`)).toBe(false);
    expect(inDatabase(file, userVersion)).toBe(before);
  });
});

describe("several processes at once", () => {
  const before = LATEST - 1;

  /** Returns what each of three processes printed. */
  async function migratedByThree(): Promise<string[]> {
    const processes = [1, 2, 3].map(migrating);
    const responses = await Promise.all(processes.map(({ stdout }) => stdout.text()));
    return responses.map((response) => response.trim()).sort();
  }

  test("wait for the first one, which migrates alone, and the copy set aside is complete", async () => {
    await makeEarlierDatabase(file, before);
    // Large enough for the copy to take a while.
    inDatabase(file, (db) => db.run("UPDATE view_days SET visitors = zeroblob(32000000)"));
    const schema = schemaOf(file);
    expect(await migratedByThree()).toEqual(["0", "0", "1"]);
    const aside = `${file}.before-${LATEST}`;
    expect([inDatabase(aside, userVersion), schemaOf(aside)]).toEqual([before, schema]);
    expect(existsSync(`${file}.partial`)).toBe(false);
  });

  test("create a single database if there is none", async () => {
    expect(await migratedByThree()).toEqual(["0", "0", String(LATEST)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("check again after waiting: nothing is set aside or migrated twice", async () => {
    await makeEarlierDatabase(file, before);
    const other = new Database(file, { strict: true });
    other.run("BEGIN IMMEDIATE");
    const waiting = migrate(file);
    for (const migration of MIGRATIONS.slice(before)) apply(other, migration);
    other.run(`PRAGMA user_version = ${LATEST}`);
    other.run("COMMIT");
    other.close();
    expect(await waiting).toBe(0);
    expect(existsSync(`${file}.before-${LATEST}`)).toBe(false);
  });
});

test("a database of a newer schema is refused and not changed", async () => {
  await migrate(file, [...MIGRATIONS, "CREATE TABLE later (id INTEGER) STRICT"]);
  const before = readFileSync(file);
  await expect(migrate(file)).rejects.toThrow("was made by a newer Vitrine");
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(existsSync(`${file}.partial`)).toBe(false);
});
