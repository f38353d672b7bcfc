import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import type { Store } from "../../domain/ports/store.ts";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSite } from "../contract/people.ts";
import { connect } from "../postgres/connection.ts";
import { postgresStore } from "../postgres/store.ts";
import { makeEmptyDatabase } from "../postgres/testing/make-database.ts";
import { readSites } from "./routing-state.ts";

const { test } = needing("postgres");

test("sites are read in pages with a limited number of sites and of deployments", async () => {
  const database = await makeEmptyDatabase();
  const connection = connect(database.url, { max: 1 });
  const store = postgresStore(connection) as unknown as Store;
  const { id: ownerId } = await addPerson(store, "ada");
  const ids: number[] = [];
  for (const name of ["one", "two", "three", "four"]) ids.push((await addSite(store, name, ownerId, false)).id);
  const pages = async (limit: number) => {
    const lasts: number[] = [];
    for (let after = 0; ; after = lasts.at(-1)!) {
      const page = await connection.read((db) => readSites(db, after, limit));
      if (page === null) return lasts.map((last) => ids.indexOf(last) + 1);
      lasts.push(page.last);
    }
  };
  expect(await pages(3)).toEqual([3, 4]);
  await connection.write((tx) => tx.execute(sql`UPDATE sites SET last_number = 60000 WHERE name <> 'four'`));
  expect(await pages(4)).toEqual([2, 4]);
  await connection.write((tx) => tx.execute(sql`UPDATE sites SET last_number = 1000000`));
  expect(await pages(4)).toEqual([1, 2, 3, 4]);
  connection.close();
  await database.close();
});
