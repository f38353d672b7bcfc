import { expect } from "bun:test";
import { eq, type SQL, sql } from "drizzle-orm";
import { needing } from "../../testing/needing.ts";
import { takeLock } from "../store/locks.ts";
import { first } from "../store/rows.ts";
import { changes } from "../store/schema.ts";
import { type Barrier, newBarrier } from "./barrier.ts";
import type { LogPlace } from "./change-log.ts";
import { connect, type PostgresConnection } from "./connection.ts";
import { markMoved } from "./migrate.ts";
import { LEASE_MS, NodeNameLeased, type NodeStore, nextMembership, nodeStore, sessionsOf } from "./nodes.ts";
import { type EmptyDatabase, makeEmptyDatabase } from "./testing/make-database.ts";

const { afterAll, beforeAll, beforeEach, describe, test } = needing("postgres");

let database: EmptyDatabase;
let connection: PostgresConnection;
let nodes: NodeStore;
let barrier: Barrier;
beforeAll(async () => {
  database = await makeEmptyDatabase();
  connection = connect(database.url, { max: 3 });
  // The server of the tests may have started a moment ago.
  nodes = nodeStore(connection, sql`'-infinity'::timestamptz`);
  barrier = newBarrier(connection, nodes);
});
beforeEach(async () => {
  await database.empty();
  await connection.write(async (tx) => {
    await tx.execute(sql`DELETE FROM nodes`);
    await tx.execute(sql`INSERT INTO changes (sites) SELECT '{}' FROM generate_series(1, 7)`);
  });
});
afterAll(async () => {
  barrier.close();
  connection.close();
  await database.close();
});

/** Returns a place in the log. */
const at = async (seq: number) =>
  (await connection.read((db) => first(db.select().from(changes).where(eq(changes.seq, seq))))) as unknown as LogPlace;
const node = (name: string) => ({ id: `id of ${name}`, name, address: "192.0.2.1:443", version: "1.2.3" });
/** Lets the lease of a node end so many seconds ago. All have been in contact for long before. */
const endLease = (name: string, seconds: number) =>
  connection.write(async (tx) => {
    await tx.execute(sql`UPDATE nodes SET contact_since = clock_timestamp() - interval '1 minute'`);
    await tx.execute(sql`
      UPDATE nodes SET lease_ends_at = clock_timestamp() - make_interval(secs => ${seconds}::int),
        renewed_at = clock_timestamp() - make_interval(secs => ${seconds + LEASE_MS / 1000}::int) WHERE name = ${name}`);
  });
/** Lets the leases of nodes last longer than a busy machine takes for a test. The next node that joins shortens them. */
const holdLeases = (...names: readonly string[]) =>
  connection.write((tx) =>
    tx.execute(sql`
      UPDATE nodes SET lease_ends_at = clock_timestamp() + interval '1 minute'
        WHERE name IN ${names} AND lease_ends_at > '-infinity'`),
  );
const stateOf = async (name: string) => (await nodes.list()).find((known) => known.name === name)?.state;

describe("nodes", () => {
  test("are listed with their state and their position in the log", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(0));
    await nodes.join(node("gone"), await at(3));
    await holdLeases("one", "two");
    expect(await nodes.saveApplied("id of two", await at(7))).toBe(true);
    expect(await nodes.requestDrain("two")).toBe("requested");
    await endLease("gone", 2);
    const seen = { address: "192.0.2.1:443", version: "1.2.3", lastSeenAt: expect.any(Number) };
    expect(await nodes.list()).toEqual([
      { name: "gone", state: "isolated", applied: 3, ...seen },
      { name: "one", state: "live", applied: 5, ...seen },
      { name: "two", state: "draining", applied: 7, ...seen },
    ]);
  });

  test("that were removed learn so from their next call", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.leave("id of one");
    expect([await nodes.renew("id of one"), await nodes.saveApplied("id of one", await at(6))]).toEqual([null, false]);
  });

  test("are refused once the database was moved to a data folder", async () => {
    await nodes.join(node("one"), await at(5));
    await holdLeases("one");
    await markMoved(database.url, 0);
    const endOf = async () => (await nodes.list()).map(({ lastSeenAt }) => lastSeenAt);
    const before = await endOf();
    expect(await nodes.renew("id of one")).toBeNull();
    await expect(nodes.join(node("one"), await at(5))).rejects.toThrow("was moved to a data folder");
    expect(await endOf()).toEqual(before);
    await connection.write((tx) => tx.execute(sql`DELETE FROM meta WHERE key = 'moved_at'`));
    expect(await nodes.renew("id of one")).toMatchObject({ state: "live" });
  });

  test("count until shortly after their lease, and as long after the start of the database", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(3));
    await holdLeases("one", "two");
    expect(await nodes.slowest()).toBe(3);
    await endLease("two", 2);
    expect(await nodes.slowest()).toBe(5);
    expect(await nodeStore(connection, sql`clock_timestamp()`).slowest()).toBe(3);
    await nodes.join(node("two"), await at(3));
    await holdLeases("one", "two");
    expect(await nodes.slowest()).toBe(3);
    await endLease("one", 2);
    await endLease("two", 2);
    expect(await nodes.slowest()).toBe("silent");
  });

  test("that are silent count while nobody has reached the database for long", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(3));
    await endLease("one", 60);
    await endLease("two", 60);
    await nodes.join(node("one"), await at(5));
    await holdLeases("one");
    expect(await nodes.slowest()).toBe(3);
    await connection.write((tx) =>
      tx.execute(sql`UPDATE nodes SET contact_since = contact_since - interval '4 seconds'`),
    );
    expect(await nodes.slowest()).toBe(5);
  });

  test("that were killed do not count once they have started again", async () => {
    await nodes.join(node("one"), await at(3));
    await endLease("one", 2);
    await nodes.join({ ...node("one"), id: "next start of one" }, await at(5));
    await connection.write(async (tx) => {
      await tx.execute(sql`
        UPDATE nodes SET lease_ends_at = clock_timestamp() + interval '1 minute' WHERE id = 'next start of one'`);
    });
    expect(await nodes.slowest()).toBe(5);
  });

  test("that are silent count if the others were silent for most of their lease", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(3));
    await endLease("two", 2);
    await holdLeases("one");
    expect([await nodes.renew("id of one"), await nodes.slowest()]).toEqual([expect.anything(), 5]);
    await connection.write((tx) =>
      tx.execute(sql`UPDATE nodes SET renewed_at = renewed_at - interval '2.5 seconds' WHERE name = 'one'`),
    );
    await holdLeases("one");
    expect([await nodes.renew("id of one"), await nodes.slowest()]).toEqual([expect.anything(), 3]);
  });

  test("have applied nothing of a history that was rolled back", async () => {
    await nodes.join(node("one"), await at(5));
    await holdLeases("one");
    const other = { cluster: "", seq: 7, token: crypto.randomUUID() };
    await nodes.saveApplied("id of one", other);
    expect(await nodes.slowest()).toBe(0);
    await nodes.saveApplied("id of one", await at(7));
    await nodes.join(node("two"), other);
    await holdLeases("one", "two");
    expect(await nodes.slowest()).toBe(0);
  });

  test("are forgotten a day after their lease", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(3));
    await endLease("two", 86_401);
    await connection.write((tx) =>
      tx.execute(sql`UPDATE nodes SET renewed_at = renewed_at - interval '25 hours' WHERE name = 'two'`),
    );
    expect(await nodes.deleteOld()).toEqual({ nodes: 1, changes: 0 });
    expect((await nodes.list()).map(({ name }) => name)).toEqual(["one"]);
  });

  test("learn of a request to drain with their renewal", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(5));
    await holdLeases("one", "two");
    expect(await nodes.renew("id of one")).toMatchObject({ state: "live" });
    expect(await nodes.requestDrain("one")).toBe("requested");
    const renewals = [await nodes.renew("id of one"), await nodes.renew("id of two")];
    expect(renewals.map((renewal) => renewal?.state)).toEqual(["draining", "live"]);
    expect(await nodes.requestDrain("one")).toBe("requested");
    expect(await nodes.requestDrain("three")).toBe("unknown");
    await nodes.saveDraining("id of two");
    expect(await stateOf("two")).toBe("draining");
  });

  test("are drained only while another one is live", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("silent"), await at(5));
    await endLease("silent", 2);
    await holdLeases("one");
    expect(await nodes.requestDrain("one")).toBe("last_live");
    expect(await nodes.requestDrain("silent")).toBe("requested");
    await nodes.join(node("two"), await at(5));
    await holdLeases("one", "two");
    // Of two operators, each sees that the other node is live.
    const outcomes = await Promise.all(["one", "two"].map((name) => nodes.requestDrain(name)));
    expect(outcomes.toSorted()).toEqual(["last_live", "requested"]);
  });

  test("that were started again are listed once", async () => {
    await nodes.join({ ...node("one"), id: "killed" }, await at(3));
    await endLease("one", 0);
    await nodes.join(node("one"), await at(5));
    await holdLeases("one");
    expect((await nodes.list()).map(({ applied }) => applied).toSorted()).toEqual([3, 5]);
    await connection.write((tx) =>
      tx.execute(sql`UPDATE nodes SET lease_ends_at = clock_timestamp() - interval '2 seconds' WHERE id = 'killed'`),
    );
    expect((await nodes.list()).map(({ applied }) => applied)).toEqual([5]);
    await endLease("nobody", 0);
    await nodes.leave("id of one");
    expect(await nodes.list()).toEqual([]);
  });

  test("have names of their own while they have leases", async () => {
    await nodes.join(node("one"), await at(5));
    const other = { ...node("one"), id: "other" };
    const refusal = await nodes.join(other, await at(5)).catch((error) => error);
    expect(refusal).toBeInstanceOf(NodeNameLeased);
    expect(refusal.message).toContain("a process at 192.0.2.1:443 that is called one");
    expect(refusal.endsIn).toBeWithin(1, LEASE_MS + 1);
    await endLease("one", 0);
    expect(await nodes.join(other, await at(5))).toMatchObject({ state: "live" });
    // The former process runs again after it was stopped for a while.
    expect(await nodes.renew("id of one")).toBeNull();
    await expect(nodes.join(node("one"), await at(5))).rejects.toBeInstanceOf(NodeNameLeased);
  });

  test("wait for another node's lease in whole milliseconds, and no longer than it lasts if the clock was set back", async () => {
    await nodes.join(node("one"), await at(5));
    const endsIn = () => nodes.join({ ...node("one"), id: crypto.randomUUID() }, null).catch((error) => error.endsIn);
    // A busy machine may let the lease end, so that the other node joins.
    for (let waits: number | undefined; waits === undefined; ) {
      const ahead = sql`UPDATE nodes SET lease_ends_at = clock_timestamp() + interval '1 hour'`;
      await connection.write((tx) => tx.execute(ahead));
      waits = await endsIn();
      if (waits !== undefined) expect([Number.isInteger(waits), waits <= LEASE_MS]).toEqual([true, true]);
    }
  });

  test("have no lease that ends later than one that is renewed now, though the clock was set back", async () => {
    for (const name of ["one", "two"]) await nodes.join(node(name), await at(5));
    const setBack = sql`UPDATE nodes SET lease_ends_at = lease_ends_at + interval '1 hour',
      renewed_at = renewed_at + interval '1 hour', contact_since = contact_since + interval '1 hour'`;
    const ahead = sql`SELECT FROM nodes WHERE lease_ends_at > clock_timestamp() + interval '3 seconds'
      OR greatest(renewed_at, contact_since) > clock_timestamp()`;
    const countAhead = async () => (await connection.read((db) => db.execute(ahead))).length;
    await connection.write((tx) => tx.execute(setBack));
    expect(await countAhead()).toBe(2);
    await nodes.boundLeases();
    expect([await countAhead(), await stateOf("one"), await nodes.slowest()]).toEqual([0, "live", 5]);
    await connection.write((tx) => tx.execute(setBack));
    await expect(nodes.join({ ...node("one"), id: "other" }, null)).rejects.toBeInstanceOf(NodeNameLeased);
    expect(await countAhead()).toBe(0);
  });

  test("do not count because the database has started later than now", async () => {
    await nodes.join(node("one"), await at(5));
    await endLease("one", 2);
    expect(await nodeStore(connection, sql`clock_timestamp() + interval '1 hour'`).slowest()).toBe("silent");
  });

  test("that start at once with the same name: only one is accepted", async () => {
    const starts = await Promise.allSettled(["a", "b", "c"].map((id) => nodes.join({ ...node("one"), id }, null)));
    expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  test("that resign are not waited for, and join again with another ID", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(3));
    await holdLeases("one", "two");
    await nodes.resign("id of two");
    // After a start of the database, silent nodes count for a while, but not those that have resigned.
    const justStarted = nodeStore(connection, sql`clock_timestamp()`);
    expect([await nodes.slowest(), await justStarted.slowest(), await stateOf("two")]).toEqual([5, 5, "isolated"]);
    expect(await nodes.renew("id of two")).toBeNull();
    const id = nextMembership("id of two");
    await nodes.join({ ...node("two"), id }, await at(7));
    await holdLeases("one", "two");
    expect((await nodes.list()).map(({ name, state }) => `${name} ${state}`)).toEqual(["one live", "two live"]);
    // The first resignation arrives late.
    await nodes.resign("id of two");
    expect(await nodes.renew(id)).toMatchObject({ state: "live" });
    await nodes.leave(id);
    expect((await nodes.list()).map(({ name }) => name)).toEqual(["one"]);
  });

  describe("that are evicted", () => {
    /** Opens a session of a node that hangs with a lock. */
    const hold = async (id: string) => {
      const held = connect(database.url, { max: 1, application: sessionsOf(id) });
      const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let attempts = 0;
      const change = held.write(async (tx) => {
        if (++attempts > 1) return;
        await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '1min'`);
        await takeLock(tx, `rate of ${id}`);
        locked.resolve();
        await released.promise;
        await tx.execute(sql`SELECT 1`);
      });
      await locked.promise;
      return {
        /** Continues the node, and returns whether its session had ended. */
        async hasEnded() {
          released.resolve();
          await change;
          held.close();
          return attempts > 1;
        },
      };
    };
    const has = async (query: SQL) => (await connection.read((db) => db.execute(query))).length > 0;
    /** Sessions are older than the eviction. */
    const evict = async (name: string) => {
      await endLease(name, 0);
      const isEvicted = sql`SELECT FROM nodes WHERE name = ${name} AND lease_ends_at < clock_timestamp() - interval '1 second'`;
      while (!(await has(isEvicted))) await Bun.sleep(20);
    };

    test("lose their sessions that hold locks", async () => {
      await nodes.join(node("hung"), await at(5));
      const holder = await hold("id of hung");
      await evict("hung");
      await nodes.endSilentSessions();
      await connection.write((tx) => takeLock(tx, "rate of id of hung"));
      expect(await holder.hasEnded()).toBe(true);
    });

    test("lose their sessions that wait for locks", async () => {
      await nodes.join(node("hung"), await at(5));
      const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = connection.write(async (tx) => {
        await takeLock(tx, "rate of id of hung");
        locked.resolve();
        await released.promise;
      });
      await locked.promise;
      const waiter = connect(database.url, { max: 1, application: sessionsOf("id of hung/2") });
      let attempts = 0;
      const waiting = waiter.write(async (tx) => {
        if (++attempts === 1) await takeLock(tx, "rate of id of hung");
      });
      // Other tests use the same server.
      const isWaiting = sql`SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
        WHERE d.datname = current_database() AND NOT granted`;
      while (!(await has(isWaiting))) await Bun.sleep(5);
      await evict("hung");
      await nodes.endSilentSessions();
      while (attempts < 2) await Bun.sleep(5);
      released.resolve();
      await Promise.all([holding, waiting]);
      waiter.close();
    });

    test("keep their sessions for a second after their lease", async () => {
      await nodes.join(node("one"), await at(5));
      // On a busy machine the second may end meanwhile.
      for (let isTold = false; !isTold; ) {
        const holder = await hold("id of one");
        await endLease("one", 0);
        await nodes.endSilentSessions();
        const hasEnded = await holder.hasEnded();
        isTold = await has(sql`SELECT FROM nodes WHERE lease_ends_at > clock_timestamp() - interval '1 second'`);
        if (isTold) expect(hasEnded).toBe(false);
      }
    });

    test.each([
      ["they have resigned", () => nodes.resign("id of one")],
      ["these are newer than the eviction", () => endLease("one", 30)],
      [
        "they have joined again with another ID",
        async () => {
          await evict("one");
          await nodes.join({ ...node("one"), id: nextMembership("id of one") }, null);
          await endLease("nobody", 0);
        },
      ],
    ])("keep their sessions if %s", async (_, change) => {
      await nodes.join(node("one"), await at(5));
      const holder = await hold("id of one");
      await change();
      await nodes.endSilentSessions();
      expect(await holder.hasEnded()).toBe(false);
    });
  });

  test("keep a request to drain if their lease ends meanwhile", async () => {
    await nodes.join(node("one"), await at(5));
    await nodes.join(node("two"), await at(5));
    await holdLeases("one", "two");
    expect(await nodes.requestDrain("two")).toBe("requested");
    await endLease("two", 2);
    expect(await nodes.renew("id of two")).toBeNull();
    expect(await nodes.join(node("two"), await at(5))).toMatchObject({ state: "draining" });
  });
});

describe("a change", () => {
  /** Logs a change; returns how the barrier stands to it. */
  const change = async (by: Barrier = barrier) => {
    let rowId = 0;
    const routing = connect(database.url, {
      max: 1,
      async afterRoutingChange(id) {
        rowId = id;
      },
    });
    await routing.writeRouting(async (_, affects) => affects());
    routing.close();
    const state = { isPassed: false, passed: by.pass(rowId) };
    void state.passed.then(
      () => {
        state.isPassed = true;
      },
      () => {},
    );
    return state;
  };

  test("passes at once where there are no nodes", async () => {
    await (await change()).passed;
  });

  test("waits for the slowest node", async () => {
    await nodes.join(node("one"), await at(7));
    await nodes.join(node("two"), await at(7));
    await holdLeases("one", "two");
    const [first, second] = [await change(), await change()];
    await nodes.saveApplied("id of one", await at(9));
    await nodes.saveApplied("id of two", await at(8));
    await first.passed;
    await nodes.slowest();
    expect(second.isPassed).toBe(false);
    await nodes.saveApplied("id of two", await at(9));
    await second.passed;
  });

  test("waits for no node that has been silent for long", async () => {
    await nodes.join(node("one"), await at(7));
    await nodes.join(node("two"), await at(7));
    await holdLeases("one", "two");
    const waiting = await change();
    await nodes.saveApplied("id of one", await at(8));
    await endLease("two", 2);
    await waiting.passed;
  });

  test("waits for no nodes that are all silent for long, and once for many changes", async () => {
    let queries = 0;
    const slowest = () => nodes.slowest().finally(() => queries++);
    const brief = newBarrier(connection, { slowest }, { silence: 200 });
    await nodes.join(node("one"), await at(7));
    await endLease("one", 60);
    await (await change(brief)).passed;
    const first = queries;
    await (await change(brief)).passed;
    expect([first > 1, queries - first]).toEqual([true, 1]);
    brief.close();
  });

  test("waits for nodes that were all silent, because the database may have been away", async () => {
    let queries = 0;
    const slowest = () => nodes.slowest().finally(() => queries++);
    const counted = newBarrier(connection, { slowest });
    const afterTwoQueries = async () => {
      for (const until = queries + 2; queries < until && !waiting.isPassed; ) await Bun.sleep(5);
    };
    await nodes.join(node("one"), await at(7));
    await endLease("one", 60);
    const waiting = await change(counted);
    await afterTwoQueries();
    expect(waiting.isPassed).toBe(false);
    await nodes.join(node("one"), await at(7));
    await holdLeases("one");
    await afterTwoQueries();
    expect(waiting.isPassed).toBe(false);
    await nodes.saveApplied("id of one", await at(8));
    await waiting.passed;
    counted.close();
  });

  test("does not return if the slowest node is unknown", async () => {
    await nodes.join(node("one"), await at(7));
    await holdLeases("one");
    const impatient = newBarrier(connection, nodes, { patience: 1 });
    const failure = await (await change(impatient)).passed.catch((error) => error);
    expect(failure).toMatchObject({ kind: "unavailable" });
    expect(failure.message).toContain("the change was made");
    impatient.close();
  });
});
