import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { type Connection, connect } from "./connection.ts";
import { type PostgresStore, postgresStore } from "./store.ts";
import { type FaultyNetwork, startFaultyNetwork } from "./testing/faulty-network.ts";
import { type EmptyDatabase, makeEmptyDatabase } from "./testing/make-database.ts";

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing("postgres");

let database: EmptyDatabase;
let network: FaultyNetwork;
let connection: Connection;
let store: PostgresStore;
beforeAll(async () => {
  database = await makeEmptyDatabase();
});
beforeEach(async () => {
  await database.empty();
  network = await startFaultyNetwork(database.url);
  connectWithin(20_000);
});
afterEach(() => {
  connection.close();
  network.stop();
});
afterAll(() => database.close());

/** Only a test that waits for the deadline has a short one: a loaded machine may answer late. */
function connectWithin(deadline: number): void {
  connection?.close();
  connection = connect(network.url, { max: 2, deadline });
  store = postgresStore(connection);
}

const one = () => connection.read((db) => db.execute(sql`SELECT 1 AS one`));

describe("a server that hangs", () => {
  test("is unavailable once its time is up, for all who wait for it, and back when it answers", async () => {
    connectWithin(1000);
    await one();
    network.hang();
    const failures = await Promise.all(Array.from({ length: 9 }, () => one().catch((error) => error)));
    expect(failures.map((failure) => failure.kind)).toEqual(failures.map(() => "unavailable"));
    network.resume();
    expect([...(await one())]).toEqual([{ one: 1 }]);
  });
});

describe("a publication", () => {
  let ownerId: number;
  let sessionId: number;
  beforeEach(async () => {
    ownerId = (await addPerson(store, "ada")).id;
    sessionId = await addSession(store, ownerId);
  });
  const publish = (facts: { readonly alias?: string } = {}) =>
    store.deployments.publish(publicationOf({ siteName: "demo", ownerId, sessionId, ...facts }));

  test("whose commit was not answered is found, and made once", async () => {
    network.loseNextCommit();
    const published = await publish({ alias: "next" });
    expect(published).toMatchObject({ outcome: "published", deployment: { number: 1 }, alias: { name: "next" } });
    expect(await publish()).toMatchObject({ outcome: "published", deployment: { number: 2 } });
  });
});

test("other changes whose commit was not answered say that they may have been made", async () => {
  const { id } = await addPerson(store, "ada");
  network.loseNextCommit();
  const failure = await addSession(store, id).catch((error) => error);
  expect(failure).toMatchObject({ kind: "unavailable", detail: expect.stringContaining("look whether it was made") });
});
