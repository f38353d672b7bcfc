import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { rowsOf } from "../store/rows.ts";
import { MAX_CHANGES, readEnd, shortenChangeLog } from "./change-log.ts";
import { connect, type PostgresConnection } from "./connection.ts";
import { type EmptyDatabase, makeEmptyDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, beforeEach, test } = needing("postgres");

let database: EmptyDatabase;
let connection: PostgresConnection;
beforeAll(async () => {
  database = await makeEmptyDatabase();
  connection = connect(database.url, { max: 1 });
});
beforeEach(async () => {
  await database.empty();
  await execute(sql`DELETE FROM nodes`);
});
afterAll(async () => {
  connection.close();
  await database.close();
});

const execute = (statement: ReturnType<typeof sql>) => connection.write((tx) => tx.execute(statement));
/** Logs as many changes, each so many minutes old. */
const log = async (count: number, minutes: number) => {
  await execute(sql`
    INSERT INTO changes (sites, at)
    SELECT '{}', clock_timestamp() - make_interval(mins => ${minutes}::int) FROM generate_series(1, ${count}::int)`);
};
/** Adds a node that has applied so many changes, and whose lease ended so many minutes ago. */
const addNode = (name: string, applied: number, minutes: number) =>
  execute(sql`
    INSERT INTO nodes (id, name, address, version, schema, state, applied, renewed_at, lease_ends_at)
    SELECT ${name}, ${name}, '', '', 1, 'live', ${applied}, at, at
    FROM (SELECT clock_timestamp() - make_interval(mins => ${minutes}::int) AS at) AS lease`);
const kept = async () => {
  const rows = await connection.read((db) => rowsOf<{ seq: string }>(db, sql`SELECT seq FROM changes ORDER BY seq`));
  return rows.map(({ seq }) => Number(seq));
};

test("changes stay for an hour, and the last one for ever", async () => {
  await log(3, 61);
  await log(2, 59);
  expect(await shortenChangeLog(connection)).toBe(3);
  expect(await kept()).toEqual([4, 5]);
  await execute(sql`UPDATE changes SET at = at - interval '1 day'`);
  expect(await shortenChangeLog(connection)).toBe(1);
  expect(await connection.read(readEnd)).toMatchObject({ seq: 5, token: expect.any(String) });
});

test("changes stay until every node that was here within the hour has applied them", async () => {
  await log(5, 90);
  await addNode("live", 4, 0);
  await addNode("stopped", 3, 59);
  await addNode("gone", 1, 61);
  await shortenChangeLog(connection);
  // The place of the slowest node stays, too, so that the node recognizes the history.
  expect(await kept()).toEqual([3, 4, 5]);
});

test("changes go after a minute if a node would rather read everything", async () => {
  await log(5, 2);
  await execute(sql`UPDATE log_counters SET changes = ${MAX_CHANGES + 2}`);
  await log(1, 0);
  await addNode("slow", 0, 0);
  expect(await shortenChangeLog(connection)).toBe(2);
  expect((await kept())[0]).toBe(3);
});
