import { expect } from "bun:test";
import { type Socket, SQL } from "bun";
import { sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { ResponseLost } from "../store/failures.ts";
import { countRows, rowsOf } from "../store/rows.ts";
import { incidents } from "../store/schema.ts";
import { findOutcome, identify, type Transaction } from "./commit-outcome.ts";
import { connect, type PostgresConnection } from "./connection.ts";
import { postgresFailure } from "./failures.ts";
import { closePool, openPool, type Pool } from "./pool.ts";
import { type PostgresStore, postgresStore } from "./store.ts";
import { type FaultyNetwork, startFaultyNetwork } from "./testing/faulty-network.ts";
import { type EmptyDatabase, makeEmptyDatabase } from "./testing/make-database.ts";

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing("postgres");

let database: EmptyDatabase;
let network: FaultyNetwork;
let connection: PostgresConnection;
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
  test("is unavailable to all waiting callers after the deadline, and available again when it responds", async () => {
    connectWithin(1000);
    // A busy machine may take longer to open the first connection.
    while ((await one().catch(() => null)) === null);
    network.hang();
    const failures = await Promise.all(Array.from({ length: 9 }, () => one().catch((error) => error)));
    expect(failures.map((failure) => failure.kind)).toEqual(failures.map(() => "unavailable"));
    network.resume();
    expect([...(await one())]).toEqual([{ one: 1 }]);
  });

  test("fails those who began to open connections, and others who waited for them try once more", async () => {
    connectWithin(1000);
    network.hang();
    const opener = one();
    const joiner = one();
    await expect(opener).rejects.toMatchObject({ kind: "unavailable" });
    network.resume();
    expect([...(await joiner)]).toEqual([{ one: 1 }]);
  });
});

test("queries fail at once while the server is known to be away, and subscriptions resume after the outage", async () => {
  let isAway = false;
  const watching = connect(network.url, { max: 2, deadline: 20_000, isAway: () => isAway });
  let notified = Promise.withResolvers<void>();
  const stop = watching.listen("news", () => notified.resolve());
  const ask = () => watching.read((db) => db.execute(sql`SELECT 1`)).catch((error) => error);
  try {
    await ask();
    await notified.promise;
    network.hang();
    const begun = performance.now();
    const waiting = ask();
    isAway = true;
    expect(await waiting).toMatchObject({ kind: "unavailable" });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await ask()).toMatchObject({ kind: "unavailable" });
    notified = Promise.withResolvers<void>();
    network.resume();
    isAway = false;
    await notified.promise;
  } finally {
    stop();
    watching.close();
  }
});

test("a server that ends connections before they are established is unavailable", async () => {
  const socket = { open: (client: Socket) => void client.terminate(), data() {} };
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  const client = new SQL(`postgres://vitrine@127.0.0.1:${listener.port}/x`, { max: 1, connectionTimeout: 1 });
  const error = await client`SELECT 1`.catch((thrown: unknown) => thrown);
  expect(postgresFailure(error)).toMatchObject({ kind: "unavailable" });
  closePool(client, 0);
  listener.stop(true);
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

  test("whose commit was not answered is found, and not made twice", async () => {
    network.loseNextCommit();
    const published = await publish({ alias: "next" });
    expect(published).toMatchObject({ outcome: "published", deployment: { number: 1 }, alias: { name: "next" } });
    expect(await publish()).toMatchObject({ outcome: "published", deployment: { number: 2 } });
  });

  test("that was looked up on another server waits for all nodes like any other", async () => {
    let changes = 0;
    const losing: PostgresConnection = {
      ...connection,
      async writeRouting(change) {
        const result = await connection.writeRouting(change);
        changes++;
        if (changes === 1) throw new ResponseLost(new Error("the server is gone"));
        return result;
      },
    };
    const publication = publicationOf({ siteName: "demo", ownerId, sessionId });
    const { deployments } = postgresStore(losing);
    expect(await deployments.publish(publication)).toMatchObject({ outcome: "published", deployment: { number: 1 } });
    expect(changes).toBe(2);
  });

  test("whose transaction has not ended when it is searched for is not made twice", async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const watching = connect(database.url, { max: 1 });
    const isAnyWaiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    let unanswered: Promise<unknown> | null = null;
    const losing: PostgresConnection = {
      ...connection,
      async writeRouting(change) {
        if (unanswered === null) {
          unanswered = connection.writeRouting(async (tx, affects) => {
            const result = await change(tx, affects);
            begun.resolve();
            await end.promise;
            return result;
          });
          await begun.promise;
          throw new ResponseLost(new Error("no answer"));
        }
        let hasEnded = false;
        const search = connection.writeRouting(change).finally(() => {
          hasEnded = true;
        });
        while (!hasEnded && (await watching.read((db) => countRows(rowsOf(db, isAnyWaiting)))) === 0)
          await Bun.sleep(5);
        end.resolve();
        await unanswered;
        return search;
      },
    };
    const publication = publicationOf({ siteName: "demo", ownerId, sessionId });
    const published = await postgresStore(losing).deployments.publish(publication);
    watching.close();
    expect(published).toMatchObject({ outcome: "published", deployment: { number: 1 } });
    expect(await publish()).toMatchObject({ outcome: "published", deployment: { number: 2 } });
  });
});

describe("any other change", () => {
  const add = (name: string, attempts: { count: number }) =>
    connection.write(async (tx) => {
      attempts.count++;
      await tx.insert(incidents).values({ name, since: 0 });
      return name;
    });

  test("whose commit was not answered is known to be made", async () => {
    const attempts = { count: 0 };
    network.loseNextCommit();
    expect(await add("one", attempts)).toBe("one");
    expect(attempts.count).toBe(1);
  });

  test("whose commit did not arrive is made again", async () => {
    const attempts = { count: 0 };
    network.dropNextCommit();
    expect(await add("two", attempts)).toBe("two");
    expect(attempts.count).toBe(2);
    expect(await connection.read((db) => db.select().from(incidents))).toEqual([{ name: "two", since: 0 }]);
  });
});

describe("the outcome of a commit", () => {
  const direct = async <T>(query: (pool: Pool) => Promise<T>): Promise<T> => {
    const pool = await openPool(database.url, { max: 1 });
    try {
      return await query(pool);
    } finally {
      closePool(pool.sql, 0);
    }
  };
  const begin = (end: (made: Transaction) => void) =>
    direct((pool) =>
      pool.db.transaction(async (tx) => {
        await tx.insert(incidents).values({ name: crypto.randomUUID(), since: 0 });
        end(await identify(tx, pool));
      }),
    );
  const made = async () => {
    const { promise, resolve } = Promise.withResolvers<Transaction>();
    await begin(resolve);
    return promise;
  };

  test("is what the server says", async () => {
    const transaction = await made();
    expect(await findOutcome(transaction, direct)).toBe("made");
    const { promise, resolve } = Promise.withResolvers<Transaction>();
    const undone = begin((transaction) => {
      resolve(transaction);
      throw new Error("no");
    });
    await expect(undone).rejects.toThrow("no");
    expect(await findOutcome(await promise, direct)).toBe("not made");
  });

  test("is unknown if another server took over, or none is there", async () => {
    const transaction = await made();
    expect(await findOutcome({ ...transaction, history: "another" }, direct)).toBe("unknown");
    const away = () => Promise.reject(new Error("away"));
    expect(await findOutcome(transaction, away, 20)).toBe("unknown");
  });

  test("does not matter to a change that changed nothing", async () => {
    const unchanged = await direct((pool) => pool.db.transaction((tx) => identify(tx, pool)));
    expect(await findOutcome(unchanged, () => Promise.reject(new Error("not asked")))).toBe("not made");
  });
});
