import { expect } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import { first } from "../store/rows.ts";
import { changes, incidents } from "../store/schema.ts";
import { connect, type PostgresConnection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { makeDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, beforeEach, test } = needing("postgres");

let url: string;
let connection: PostgresConnection;
beforeAll(async () => {
  url = await makeDatabase();
  await migrate(parseDatabaseUrl(url));
  connection = connect(parseDatabaseUrl(url), { max: 3 });
});
beforeEach(async () => {
  const rows = ["one", "two"].map((name) => ({ name, since: 0 }));
  await connection.write(async (tx) => {
    await tx.delete(incidents);
    await tx.insert(incidents).values(rows);
  });
});
afterAll(() => connection.close());

const sinceOf = async (name: string) =>
  (await connection.read((db) => first(db.select().from(incidents).where(eq(incidents.name, name)))))?.since;

test("a change that throws changes nothing", async () => {
  const failing = connection.write(async (tx) => {
    await tx.delete(incidents);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await sinceOf("one")).toBe(0);
});

test("changes that deadlock are retried and made one after the other", async () => {
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const attempts = [0, 0];
  const both = (own: 0 | 1, names: readonly string[]) =>
    connection.write(async (tx) => {
      attempts[own] = (attempts[own] ?? 0) + 1;
      for (const name of names) {
        await tx.update(incidents).set({ since: sql`since + 1` }).where(eq(incidents.name, name));
        met[own]?.resolve();
        await met[1 - own]?.promise;
      }
    });
  await Promise.all([both(0, ["one", "two"]), both(1, ["two", "one"])]);
  expect([await sinceOf("one"), await sinceOf("two")]).toEqual([2, 2]);
  // The server may end both of them, and then they may meet again.
  expect(Math.max(...attempts)).toBeGreaterThan(1);
});

test("a change that loses its connection is retried", async () => {
  let attempts = 0;
  await connection.write(async (tx) => {
    const own = await first(tx.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`));
    await tx.update(incidents).set({ since: sql`since + 1` }).where(eq(incidents.name, "one"));
    if (++attempts === 1) await connection.read((db) => db.execute(sql`SELECT pg_terminate_backend(${own?.pid}::int)`));
    await tx.select().from(incidents);
  });
  expect(attempts).toBe(2);
  expect(await sinceOf("one")).toBe(1);
});

test("a change that the server ended because its node was silent is retried", async () => {
  let attempts = 0;
  await connection.write(async (tx) => {
    attempts++;
    if (attempts === 1) {
      await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '10ms'`);
      await Bun.sleep(200);
    }
    await tx.update(incidents).set({ since: attempts }).where(eq(incidents.name, "one"));
  });
  expect([attempts, await sinceOf("one")]).toEqual([2, 2]);
});

test("the server ends a transaction of a node that is gone before others stop waiting for its locks", async () => {
  const limit = (name: string) => sql<number>`extract(epoch FROM current_setting(${name})::interval)`.mapWith(Number);
  const limits = await connection.read((db) =>
    first(
      db
        .select({ idle: limit("idle_in_transaction_session_timeout"), lock: limit("lock_timeout") })
        .from(sql`generate_series(1, 1)`),
    ),
  );
  expect(limits).toEqual({ idle: 5, lock: 10 });
});

test("changes of routing are logged in the order of their commits, with the sites that they affect", async () => {
  const [begun, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = connection.writeRouting(async (_, affects) => {
    affects(1, 2, 1);
    begun.resolve();
    await committed.promise;
  });
  await begun.promise;
  await connection.writeRouting(async (_, affects) => affects());
  committed.resolve();
  await slow;
  await connection.writeRouting(async () => {});
  const logged = await connection.read((db) =>
    db.select({ seq: changes.seq, sites: changes.sites }).from(changes).orderBy(changes.seq),
  );
  expect(logged).toEqual([
    { seq: 1, sites: [] },
    { seq: 2, sites: [1, 2] },
    { seq: 3, sites: null },
  ]);
});

test("a change that failed takes no place in the log", async () => {
  const placeOf = async () => (await connection.read((db) => db.select({ seq: changes.seq }).from(changes))).length;
  const before = await placeOf();
  const failing = connection.writeRouting(async () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await connection.writeRouting(async () => {});
  expect(await placeOf()).toBe(before + 1);
});

test("an unreachable server is unavailable", async () => {
  const nowhere = connect(parseDatabaseUrl("postgres://vitrine@127.0.0.1:1/x"));
  const failure = await nowhere.read((db) => db.select().from(incidents)).catch((error) => error);
  expect(failure).toMatchObject({ kind: "unavailable" });
});

test("of several servers, the first that responds and accepts changes is used", async () => {
  const { hosts, ...rest } = parseDatabaseUrl(url);
  const several = connect({ ...rest, hosts: [{ hostname: "127.0.0.1", port: 1 }, ...hosts] });
  expect(await several.read((db) => db.select().from(incidents))).toHaveLength(2);
  several.close();
});

test("no error reveals the parameters of a query", async () => {
  const failing = connection.write((tx) => tx.insert(incidents).values({ name: "one", since: 4_711_471_147 }));
  const failure = await failing.catch((error) => error);
  expect(Bun.inspect(failure)).toContain("incidents_pkey");
  expect(Bun.inspect(failure)).not.toContain("4711471147");
});

test("a closed connection opens nothing again for the queries that it ended", async () => {
  const closed = connect(parseDatabaseUrl(url), { max: 1 });
  let attempts = 0;
  const reading = closed.read(async (db) => {
    attempts++;
    if (attempts > 1) return;
    const waiting = db.execute(sql`SELECT pg_sleep(20)`);
    closed.close();
    await waiting;
  });
  await expect(reading).rejects.toMatchObject({ kind: "unavailable" });
  expect(attempts).toBe(1);
  await expect(closed.read(async () => {})).rejects.toMatchObject({ kind: "unavailable" });
});
