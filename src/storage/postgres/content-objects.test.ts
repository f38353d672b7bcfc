import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { connect } from "./connection.ts";
import { postgresStore } from "./store.ts";
import { makeEmptyDatabase } from "./testing/make-database.ts";

const { test } = needing("postgres");

test("condemns more objects at once than a statement may have parameters", async () => {
  const database = await makeEmptyDatabase();
  const connection = connect(database.url, { max: 1 });
  const { contentObjects } = postgresStore(connection);
  const count = 70_000;
  await connection.write((tx) =>
    tx.execute(sql`
      INSERT INTO content_objects (name, size, intended_at) SELECT 'content/' || n, 1, 0 FROM generate_series(1, ${count}::int) AS n`),
  );
  await connection.read((db) => db.execute(sql`ANALYZE content_objects`));
  expect(await contentObjects.condemnEmpty(1, 2)).toBe(count);
  connection.close();
  await database.close();
});
