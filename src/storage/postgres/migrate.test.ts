import { expect } from "bun:test";
import { SQL } from "bun";
import { sql as drizzle } from "drizzle-orm";
import { parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { freshCluster } from "../replica/testing/fresh-cluster.ts";
import { MIGRATIONS, migrate, UnusableDatabase } from "./migrate.ts";
import { startFaultyNetwork } from "./testing/faulty-network.ts";
import { makeDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, describe, test } = needing("postgres");

let url: string;
let sql: SQL;
beforeAll(async () => {
  url = await makeDatabase();
  await migrate(parseDatabaseUrl(url));
  sql = new SQL(url, { max: 1 });
});
afterAll(() => sql.close());

test("a database that is up to date is left alone, also by several nodes at once", async () => {
  const fresh = parseDatabaseUrl(await makeDatabase());
  const counts = await Promise.all([migrate(fresh), migrate(fresh), migrate(fresh)]);
  expect(counts.sort()).toEqual([0, 0, MIGRATIONS.length]);
  expect(await migrate(fresh)).toBe(0);
});

test("a node that waited for another one's migration sees its tables", async () => {
  const fresh = parseDatabaseUrl(await makeDatabase());
  // So few tables that the server tells other sessions about them only when these ask.
  const statements = `
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BIGINT NOT NULL);
    DO $$ BEGIN
      WHILE (SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database AND datname = current_database()
        WHERE locktype = 'advisory' AND NOT granted) < 3 LOOP PERFORM pg_sleep(0.005); END LOOP;
    END $$`;
  const nodes = Array.from({ length: 4 }, () => migrate(fresh, [{ statements, oldestKnown: 1 }]));
  expect((await Promise.all(nodes)).sort()).toEqual([0, 0, 0, 1]);
});

test.each(["server_encoding", "SELECT key, value FROM meta", "moved_at"])(
  "a server that hangs at %j does not keep a node waiting",
  async (request) => {
    const network = await startFaultyNetwork(parseDatabaseUrl(url));
    network.hangAt(request);
    await expect(migrate(network.url, MIGRATIONS, 200)).rejects.toMatchObject({ kind: "unavailable" });
    network.resume();
    expect(await migrate(network.url)).toBe(0);
    network.stop();
  },
);

test("a migration that fails leaves everything as it was", async () => {
  const broken = { statements: "CREATE TABLE extra (id BIGINT); SELECT 1 / 0", oldestKnown: 1 };
  await expect(migrate(parseDatabaseUrl(url), [...MIGRATIONS, broken])).rejects.toThrow("division by zero");
  const [row] = await sql`SELECT to_regclass('extra') AS extra, value FROM meta WHERE key = 'schema'`;
  expect(row).toEqual({ extra: null, value: String(MIGRATIONS.length) });
});

test("a version works with the schema of the next one, and refuses a schema that lacks what it needs", async () => {
  const next = { statements: "CREATE TABLE extra (id BIGINT)", oldestKnown: MIGRATIONS.length };
  expect(await migrate(parseDatabaseUrl(url), [...MIGRATIONS, next])).toBe(1);
  expect(await migrate(parseDatabaseUrl(url))).toBe(0);
  const contraction = { statements: "DROP TABLE extra", oldestKnown: MIGRATIONS.length + 1 };
  await migrate(parseDatabaseUrl(url), [...MIGRATIONS, next, contraction]);
  const refused = await migrate(parseDatabaseUrl(url)).catch((error) => error);
  expect(refused).toBeInstanceOf(UnusableDatabase);
  expect(refused.message).toContain("changed by a newer Vitrine");
});

test("a database that cannot hold every text is refused", async () => {
  const refused = await migrate(
    parseDatabaseUrl(await makeDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")),
  ).catch((error) => error);
  expect(refused).toBeInstanceOf(UnusableDatabase);
  expect(refused.message).toContain("encoding is LATIN1");
});

describe("a newer version, while nodes of the previous version run,", () => {
  const older = MIGRATIONS;
  const expansion = {
    statements: `
      ALTER TABLE sites ADD COLUMN theme TEXT COLLATE "C" NOT NULL DEFAULT 'plain';
      ALTER TABLE deployments ADD COLUMN theme TEXT COLLATE "C";
      CREATE INDEX sites_by_theme ON sites (theme);
      INSERT INTO changes (sites) VALUES (NULL)`,
    oldestKnown: older.length,
  };
  const contraction = { statements: "ALTER TABLE deployments DROP COLUMN warnings", oldestKnown: older.length + 1 };
  const cluster = freshCluster();

  test("adds columns, and those nodes continue to publish", async () => {
    const { store } = cluster;
    const ownerId = (await addPerson(store, "ada")).id;
    const sessionId = await addSession(store, ownerId);
    const publish = () => store.deployments.publish(publicationOf({ siteName: "demo", ownerId, sessionId }));
    // More often than there are connections, so that every one has prepared its statements.
    for (let times = 0; times < 4; times++) expect(await publish()).toMatchObject({ outcome: "published" });
    expect(await migrate(cluster.url, [...older, expansion])).toBe(1);
    for (let times = 0; times < 4; times++) expect(await publish()).toMatchObject({ outcome: "published" });
    expect(await store.sites.find("demo")).toMatchObject({ activeDeployment: 8 });
    expect(await migrate(cluster.url, older)).toBe(0);
  });

  test("removes nothing that they need", async () => {
    const removing = () => migrate(cluster.url, [...older, expansion, contraction]);
    expect(await removing().catch((error) => error)).toEqual(
      new UnusableDatabase(
        "The node one runs version 0.0.0, which needs what this version removes: upgrade it to the version between them first, or stop it",
      ),
    );
    // Upgraded to the version between.
    await cluster.connection.write((tx) => tx.execute(drizzle`UPDATE nodes SET schema = ${older.length + 1}`));
    expect(await removing()).toBe(1);
  });
});
