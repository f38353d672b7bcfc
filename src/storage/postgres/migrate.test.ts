import { expect } from "bun:test";
import { SQL } from "bun";
import { parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import { MIGRATIONS, migrate, UnusableDatabase } from "./migrate.ts";
import { makeDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, test } = needing("postgres");

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

test("a migration that fails leaves everything as it was", async () => {
  const broken = { statements: "CREATE TABLE extra (id BIGINT); SELECT 1 / 0", oldestKnown: 1 };
  await expect(migrate(parseDatabaseUrl(url), [...MIGRATIONS, broken])).rejects.toThrow("division by zero");
  const [row] = await sql`SELECT to_regclass('extra') AS extra, value FROM meta WHERE key = 'schema'`;
  expect(row).toEqual({ extra: null, value: String(MIGRATIONS.length) });
});

test("a version goes on with the schema of the next one, and refuses one that has dropped what it needs", async () => {
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
