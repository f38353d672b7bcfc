import { Database } from "bun:sqlite";
import { expect, test as plainTest } from "bun:test";
import { join } from "node:path";
import { type DatabaseUrl, parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { makeDatabase } from "../postgres/testing/make-database.ts";
import { copyDatabase } from "../sqlite/copy-database.ts";
import { integrityProblems } from "../sqlite/integrity.ts";
import { columnsOf, contentOf, inDatabase, makeFilledDatabase } from "../sqlite/testing/earlier-database.ts";
import { exportToSqlite } from "./export.ts";
import { importFromSqlite, inspectTarget } from "./import.ts";
import { inLongTransaction } from "./postgres-transaction.ts";
import { findNulCharacters } from "./sqlite-rows.ts";
import { keyOf, TABLES, tablesOf } from "./tables.ts";

const { beforeAll, test } = needing("postgres");

const home = temporaryFolder();
/** Rows in every table. */
const filled = join(home, "filled.db");
const silent = { copied(_: number) {}, compared(_: number) {} };

beforeAll(async () => {
  await makeFilledDatabase(filled);
  inDatabase(filled, (db) => db.run("INSERT INTO meta (key, value) VALUES ('certificates_revision', 7)"));
});

function withFilled<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const copy = join(home, `${crypto.randomUUID()}.db`);
  copyDatabase(filled, copy);
  const db = new Database(copy, { strict: true });
  return work(db).finally(() => db.close());
}

const emptyDatabase = async (): Promise<DatabaseUrl> => parseDatabaseUrl(await makeDatabase());

const importInto = (url: DatabaseUrl, db: Database, steps = silent) => importFromSqlite(db, tablesOf(db), url, steps);

async function exported(url: DatabaseUrl, file: string): Promise<string> {
  await inLongTransaction(url, "REPEATABLE READ READ ONLY", (run) => exportToSqlite(run, file, TABLES, silent));
  return file;
}

/** The rows that both kinds of database have. */
function sharedContent(file: string) {
  const { routing_changes: _, meta, ...tables } = contentOf(file);
  return { ...tables, meta: meta?.filter(({ key }) => key !== "generation") };
}

const givenIds = (file: string) =>
  inDatabase(file, (db) => db.query("SELECT name, seq FROM sqlite_sequence ORDER BY name").all());

plainTest("every table that both databases have is copied", () => {
  const own = ["routing_changes"];
  expect([...TABLES].sort()).toEqual(
    Object.keys(columnsOf(filled))
      .filter((name) => !own.includes(name))
      .sort(),
  );
  for (const rows of Object.values(sharedContent(filled))) expect(rows?.length).toBeGreaterThan(0);
});

test("there and back, every row and the last number of every table are the same", async () => {
  const url = await emptyDatabase();
  await withFilled(async (db) => {
    // Values that are easily changed on the way.
    db.run("UPDATE backups SET progress = 0.1 + 0.2, verifying = 1 WHERE id = (SELECT min(id) FROM backups)");
    db.run(
      `UPDATE deployments SET message = 'Grüße 🎈 "\\u0000" \\ ' || char(10, 9, 1, 127, 65533), created_at = 9007199254740991 WHERE id = 1`,
    );
    db.run("UPDATE manifests SET rules = x'00ff007f80' WHERE deployment_id = 1");
    db.run("UPDATE users SET login = 'ÄDA' WHERE id = 1");
    db.run("INSERT INTO acme_orders SELECT * FROM acme_orders");
    db.run("DELETE FROM readers");
    const progress = { copied: 0, compared: 0 };
    const steps = {
      copied(rows: number) {
        progress.copied += rows;
      },
      compared(rows: number) {
        progress.compared += rows;
      },
    };
    expect(await importInto(url, db, steps)).toBe("empty");
    expect(progress.copied).toBeGreaterThan(90);
    expect(progress.compared).toBe(progress.copied);
    const back = await exported(url, join(home, "back.db"));
    expect(sharedContent(back)).toEqual(sharedContent(db.filename));
    expect(givenIds(back)).toEqual(givenIds(db.filename));
    using raw = new Database(back, { strict: true });
    expect(await integrityProblems(raw)).toEqual([]);
  });
});

test("an interrupted import leaves an empty database, and one that was committed is recognized", async () => {
  const url = await emptyDatabase();
  await withFilled(async (db) => {
    let rows = 0;
    const interrupted = {
      ...silent,
      copied(some: number) {
        rows += some;
        if (rows > 50) throw new Error("interrupted");
      },
    };
    expect(await inspectTarget(db, tablesOf(db), url)).toBe("empty");
    await expect(importInto(url, db, interrupted)).rejects.toThrow("interrupted");
    expect(await inspectTarget(db, tablesOf(db), url)).toBe("empty");
    expect(await importInto(url, db)).toBe("empty");
    expect(await importInto(url, db)).toBe("same");
    expect(await inspectTarget(db, tablesOf(db), url)).toBe("same");
    db.run("UPDATE sites SET private = 1 - private WHERE id = 1");
    expect(await importInto(url, db)).toBe("other");
    expect(sharedContent(await exported(url, join(home, "unchanged.db")))).toEqual(sharedContent(filled));
  });
});

test("a database with tables of others is left alone", async () => {
  const url = await emptyDatabase();
  await inLongTransaction(url, "READ COMMITTED", (run) => run("CREATE TABLE theirs (id BIGINT)"));
  await withFilled(async (db) => {
    expect(await inspectTarget(db, tablesOf(db), url)).toBe("other");
    expect(await importInto(url, db)).toBe("other");
  });
});

test("a copy that is not the same as its source is refused, and nothing remains", async () => {
  const url = await emptyDatabase();
  await withFilled(async (db) => {
    const changing = { ...silent, compared: () => db.run("UPDATE webhook_events SET data = '{}'") };
    await expect(importInto(url, db, changing)).rejects.toThrow(
      "the copy is not the same: the row of webhook_events with id",
    );
    expect(await inspectTarget(db, tablesOf(db), url)).toBe("empty");
  });
});

plainTest("texts that PostgreSQL cannot store are found", async () => {
  await withFilled(async (db) => {
    expect([...findNulCharacters(db, tablesOf(db))]).toEqual([]);
    db.run("UPDATE sites SET frozen = 'a' || char(0) || 'b' WHERE id = 2");
    const found = [...findNulCharacters(db, tablesOf(db))].map(({ table, row, column }) => [keyOf(table, row), column]);
    expect(found).toEqual([["id 2", "frozen"]]);
  });
});
