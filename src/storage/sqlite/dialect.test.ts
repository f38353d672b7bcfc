import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import { PgDialect, pgTable, text } from "drizzle-orm/pg-core";
import type { Drizzle } from "../store/connection.ts";
import { first } from "../store/rows.ts";
import { flag, integer, json } from "../store/schema/columns.ts";
import { isAnyOf, NOW } from "../store/sql.ts";
import { drizzleOnSqlite } from "./dialect.ts";

// What the dialect relies on in Drizzle, so that another version that changes it is noticed.

const people = pgTable("people", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  name: text("name").notNull(),
  active: flag("active").notNull().default(true),
  tags: json<readonly string[]>("tags"),
  secret: text("secret").$defaultFn(() => "made"),
  elsewhere: text("elsewhere"),
});
const pets = pgTable("pets", { ownerId: integer("owner_id"), name: text("name").notNull() });
const { elsewhere: _, ...columns } = getTableColumns(people);

let raw: Database;
let db: Drizzle;
beforeEach(() => {
  raw = new Database(":memory:", { strict: true });
  raw.run(`CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
    active INTEGER NOT NULL DEFAULT 1, tags TEXT, secret TEXT) STRICT`);
  raw.run("CREATE TABLE pets (owner_id INTEGER, name TEXT NOT NULL) STRICT");
  db = drizzleOnSqlite(raw);
});
afterEach(() => raw.close());

const all = () => db.select(columns).from(people).orderBy(asc(people.id));

describe("an insert", () => {
  test("omits columns that no row has, so that they get SQLite's defaults", async () => {
    const added = await db.insert(people).values({ name: "ada" }).returning({ id: people.id, active: people.active });
    expect(added).toEqual([{ id: 1, active: true }]);
    expect(await all()).toEqual([{ id: 1, name: "ada", active: true, tags: null, secret: "made" }]);
  });

  test("of several rows gives those without a column its default", async () => {
    await db.insert(people).values([
      { name: "ada", active: false, tags: ["a"] },
      { name: "bob", id: 7 },
    ]);
    expect(await all()).toMatchObject([
      { id: 1, name: "ada", active: false, tags: ["a"] },
      { id: 7, name: "bob", active: true, tags: null },
    ]);
  });

  test("changes the row that is there, if it says so", async () => {
    const ada = { name: "ada", tags: ["new"] };
    const changed = { target: people.name, set: { tags: ada.tags, active: false } };
    for (const _ of [1, 2]) await db.insert(people).values(ada).onConflictDoUpdate(changed);
    expect(await all()).toMatchObject([{ name: "ada", active: false, tags: ["new"] }]);
    expect(await db.insert(people).values(ada).onConflictDoNothing().returning({ id: people.id })).toEqual([]);
  });
});

describe("a select", () => {
  beforeEach(async () => {
    await db.insert(people).values([{ name: "ada" }, { name: "bob" }]);
    await db.insert(pets).values({ ownerId: 1, name: "rex" });
  });

  test("locks nothing", async () => {
    const locked = db.select({ name: people.name }).from(people).where(eq(people.id, 1)).for("update");
    expect(locked.toSQL()).toEqual({ sql: 'select "name" from "people" where "people"."id" = ?1', params: [1] });
    expect(await locked).toEqual([{ name: "ada" }]);
  });

  test("has null for a joined table without a row", async () => {
    const joined = db.select({ name: people.name, pet: pets }).from(people).leftJoin(pets, eq(pets.ownerId, people.id));
    expect(await joined.orderBy(asc(people.id))).toEqual([
      { name: "ada", pet: { ownerId: 1, name: "rex" } },
      { name: "bob", pet: null },
    ]);
  });

  test("is prepared once and run with other values", async () => {
    const byName = db
      .select({ id: people.id })
      .from(people)
      .where(eq(people.name, sql.placeholder("name")));
    const query = byName.prepare("by_name");
    expect(await query.execute({ name: "bob" })).toEqual([{ id: 2 }]);
    expect(await query.execute({ name: "eve" })).toEqual([]);
    expect(query.getQuery().sql).toEndWith('where "people"."name" = +?1');
  });

  test("says the words of SQLite, and a select of PostgreSQL its own", async () => {
    const some = isAnyOf(people.id, [2, 3], "bigint");
    expect(await db.select({ name: people.name }).from(people).where(some)).toEqual([{ name: "bob" }]);
    expect(new PgDialect().sqlToQuery(some).sql).toBe('"people"."id" = ANY($1::bigint[])');
    const [row] = await db.select({ now: NOW }).from(people).limit(1);
    expect(Math.abs(row!.now - Date.now())).toBeLessThan(60_000);
  });

  test("in plain SQL returns rows by the names of columns", async () => {
    expect(await db.execute(sql`SELECT count(*) AS total FROM ${people} WHERE active = ${true}`)).toEqual([
      { total: 2 },
    ]);
  });
});

test("an error is SQLite's", async () => {
  await db.insert(people).values({ name: "ada" });
  const again = first(db.insert(people).values({ name: "ada" }).returning({ id: people.id }));
  await expect(again).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_UNIQUE" });
});

test("a change contains no other transaction", () => {
  expect(() => db.transaction(async () => {})).toThrow("a change is one transaction");
});
