import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { sql } from "drizzle-orm";
import { createRoot, issueLeaf } from "../../clients/x509/local-ca.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../domain/database-url.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import type { Drizzle } from "../store/connection.ts";
import { rowsOf } from "../store/rows.ts";
import { incidents } from "../store/schema.ts";
import { findOutcome, identify, type Transaction } from "./commit-outcome.ts";
import { connect, type PostgresConnection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { closePool, openPool, type Pool } from "./pool.ts";
import { makeDatabase } from "./testing/make-database.ts";
import { type OwnServer, startStandby, USER_WITH_PASSWORD, writeForServer } from "./testing/server.ts";

// What operators meet: servers that are down, wrong, or taken over by others.

const { afterAll, afterEach, beforeAll, describe, test } = needing("postgres");

let text: string;
let url: DatabaseUrl;
beforeAll(async () => {
  text = await makeDatabase();
  url = parseDatabaseUrl(text);
  await migrate(url);
});
const opened: PostgresConnection[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
});

function open(to: DatabaseUrl): PostgresConnection {
  const connection = connect(to, { max: 2 });
  opened.push(connection);
  return connection;
}
const portOf = (connection: PostgresConnection) =>
  connection.read(async (db) => {
    const [row] = (await db.execute(sql`SELECT current_setting('port') AS port`)) as unknown as [{ port: string }];
    return Number(row.port);
  });
/** Returns what the operator reads of a failure. */
const failureOf = async (address: string): Promise<string> => {
  const failure = await portOf(open(parseDatabaseUrl(address))).catch((error) => error);
  expect(failure).toMatchObject({ kind: "unavailable", detail: expect.stringContaining("cannot be reached") });
  return failure.cause.message;
};

describe("the operator reads of", () => {
  test.each([
    [
      "a wrong password",
      () => text.replace("vitrine@", `${USER_WITH_PASSWORD}:secret@`),
      /password authentication failed.*: check the user and the password in --database/,
    ],
    ["an unknown user", () => text.replace("vitrine@", "nobody@"), /role "nobody" does not exist: check the user/],
    ["an unknown database", () => `${text}_`, /database "\w+" does not exist: create it with ENCODING 'UTF8'/],
    ["nothing there", () => "postgres://127.0.0.1:1/x", /127\.0\.0\.1:1 cannot be used: .*check host and port/],
    ["a server without TLS", () => `${text}?sslmode=require`, /does not support SSL: set ssl = on/],
    ["several servers", () => "postgres://127.0.0.1:1,127.0.0.1:2/x", /127\.0\.0\.1:1 .*; .*127\.0\.0\.1:2 /],
  ])("%s what is wrong, and never the password", async (_, address, expected) => {
    const reason = await failureOf(address());
    expect(reason).toMatch(expected);
    expect(reason).not.toContain("secret");
  });
});

describe("with a certificate of an own root", () => {
  const folder = temporaryFolder();
  let admin: SQL;
  const set = async (settings: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(settings)) await admin.unsafe(`ALTER SYSTEM SET ${name} = '${value}'`);
    await admin`SELECT pg_reload_conf()`;
  };
  beforeAll(async () => {
    admin = new SQL(text, { max: 1 });
    const [row] = await admin`SHOW data_directory`;
    const [root, other] = [await createRoot(Date.now()), await createRoot(Date.now())];
    const { chain, key } = await issueLeaf(root, ["localhost"], Date.now());
    for (const [name, pem] of Object.entries({ chain, key })) {
      writeForServer(join(row.data_directory, name), pem);
    }
    writeFileSync(join(folder, "root.pem"), root.chain);
    writeFileSync(join(folder, "other.pem"), other.chain);
    await set({ ssl_cert_file: "chain", ssl_key_file: "key", ssl: "on" });
    // The postmaster reads its settings soon after the answer.
    const encrypted = open(parseDatabaseUrl(`${text}?sslmode=require`));
    while (!(await portOf(encrypted).catch(() => 0))) await Bun.sleep(10);
  });
  afterAll(async () => {
    await set({ ssl: "off" });
    await admin.close();
  });
  const addressWith = (root: string, host = "localhost") =>
    `${text.replace("127.0.0.1", host)}?sslmode=verify-full&sslrootcert=${join(folder, root)}`;

  test("a server is accepted by its root and its name", async () => {
    const connection = open(parseDatabaseUrl(addressWith("root.pem")));
    const own = sql`SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
    expect([...(await connection.read((db) => db.execute(own)))]).toEqual([{ version: "TLSv1.3" }]);
  });

  test.each([
    ["the root is another one", "other.pem", "localhost", /self signed.*: name its root certificate/],
    ["its name is another one", "root.pem", "127.0.0.1", /does not match.*: use a name in --database/],
    ["the root cannot be read", "none.pem", "localhost", /none\.pem/],
  ])("a server is refused if %s", async (_, root, host, expected) => {
    expect(await failureOf(addressWith(root, host))).toMatch(expected);
  });
});

describe("of a primary and a standby", () => {
  let standby: OwnServer;
  beforeAll(async () => {
    standby = await startStandby();
  });
  afterAll(() => standby?.remove());
  const hosts = (...ports: readonly number[]) => ({
    ...url,
    hosts: ports.map((port) => ({ hostname: "127.0.0.1", port })),
  });
  const primaryPort = () => url.hosts[0]!.port;

  test("the primary is used, wherever it is in the list", async () => {
    expect(await portOf(open(hosts(standby.port, primaryPort())))).toBe(primaryPort());
    expect(await failureOf(`postgres://vitrine@127.0.0.1:${standby.port}/${url.database}`)).toContain(
      "it is a replica of another server: add the host of the primary",
    );
  });

  test("the standby is used once it is promoted and the primary is gone, and again after it was killed", async () => {
    const connection = open(hosts(1, standby.port));
    const heard = { count: 0 };
    const stopListening = connection.listen("vitrine_changes", () => heard.count++);
    await new SQL(`postgres://vitrine@127.0.0.1:${standby.port}/postgres`, { max: 1 })`SELECT pg_promote()`;
    expect(await portOf(connection)).toBe(standby.port);
    while (heard.count === 0) await Bun.sleep(10);
    standby.kill();
    const failed = () =>
      portOf(connection).then(
        () => null,
        (error) => error,
      );
    let failure = await failed();
    while (failure === null) failure = await failed();
    expect(failure).toMatchObject({ kind: "unavailable" });
    await standby.start();
    expect(await portOf(connection)).toBe(standby.port);
    const before = heard.count;
    await connection.writeRouting(async (_, affects) => affects());
    while (heard.count <= before) await Bun.sleep(10);
    stopListening();
  });

  test("a commit that a crash undid is not taken for a later one, which gets the same number", async () => {
    const direct = async <T>(query: (pool: Pool) => Promise<T>): Promise<T> => {
      const pool = await openPool(hosts(standby.port), { max: 1 });
      try {
        return await query(pool);
      } finally {
        closePool(pool.sql, 0);
      }
    };
    const made: Transaction[] = [];
    const add = (meanwhile: (tx: Drizzle) => Promise<unknown> = async () => {}) =>
      direct((pool) =>
        pool.db.transaction(async (tx) => {
          await tx.insert(incidents).values({ name: crypto.randomUUID(), since: 0 });
          made.push(await identify(tx, pool));
          await meanwhile(tx);
        }),
      );
    // The server survives the end of one of its processes, but not what it had in memory.
    const crash = async (tx: Drizzle) => {
      const walwriter = sql`SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`;
      const [row] = await rowsOf<{ readonly pid: number }>(tx, walwriter);
      process.kill(row!.pid, "SIGKILL");
      await tx.execute(sql`SELECT pg_sleep(10)`);
    };
    const make = async () => {
      await add();
      return made.at(-1)!;
    };
    const undo = async () => {
      await expect(add(crash)).rejects.toThrow();
      expect(await findOutcome(made.at(-1)!, direct, 60_000)).toBe("not made");
      return made.at(-1)!;
    };
    let [undone, later] = [await undo(), await make()];
    // A number is not given again if its log was written in the moment before the crash.
    while (later.xid !== undone.xid) [undone, later] = [await undo(), await make()];
    expect(await findOutcome(undone, direct)).toBe("unknown");
    expect(await findOutcome(later, direct)).toBe("made");
  });
});
