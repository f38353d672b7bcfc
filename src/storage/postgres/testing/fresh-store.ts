import type { Store } from "../../../domain/ports/store.ts";
import { needing } from "../../../testing/needing.ts";
import { connect } from "../connection.ts";
import { postgresStore } from "../store.ts";
import { type EmptyDatabase, makeEmptyDatabase } from "./make-database.ts";

const { afterAll, beforeAll, beforeEach } = needing("postgres");

/** Gives each test of a file an empty store that is open twice, without nodes that serve it. */
export function freshStore(): { readonly store: Store; readonly other: Store } {
  const stores: Store[] = [];
  let database: EmptyDatabase | null = null;
  beforeAll(async () => {
    database = await makeEmptyDatabase();
    const { url } = database;
    // The suites that run ask for nothing that visits need.
    const open = () => postgresStore(connect(url, { max: 3 })) as unknown as Store;
    stores.push(open(), open());
  });
  beforeEach(async () => {
    await database?.empty();
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    await database?.close();
  });
  return {
    get store() {
      return stores[0] as Store;
    },
    get other() {
      return stores[1] as Store;
    },
  };
}
