import { expect } from "bun:test";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { loadConfig } from "../../config/settings.ts";
import { backup } from "../../domain/backups/backup.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../domain/database-url.ts";
import { errorCode } from "../../domain/error-message.ts";
import type { AuditEntry } from "../../domain/ports/store/audit.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { dataFolder, lockDataFolder } from "../folder/data-folder.ts";
import { folderObjects } from "../objects/folder.ts";
import { memoryObjects, type ObjectMemory } from "../objects/memory.ts";
import type { Bucket } from "../open.ts";
import { readEnd } from "../postgres/change-log.ts";
import { connect } from "../postgres/connection.ts";
import { markMoved, migrate } from "../postgres/migrate.ts";
import { nodeStore } from "../postgres/nodes.ts";
import { postgresStore } from "../postgres/store.ts";
import { startFaultyNetwork } from "../postgres/testing/faulty-network.ts";
import { makeDatabase } from "../postgres/testing/make-database.ts";
import { openStoreWithoutReplica } from "../replica/store.ts";
import { copyDatabase } from "../sqlite/copy-database.ts";
import { contentOf, inDatabase, makeFilledDatabase, schemaOf } from "../sqlite/testing/earlier-database.ts";
import { postgresDatabase } from "./backup/database-source.ts";
import { backupDataFolder } from "./backup.ts";
import { type MoveOrder, moveToBucket } from "./move-content.ts";
import { moveToDatabase } from "./move-database.ts";
import { moveToFolder } from "./move-to-folder.ts";
import { restoreDataFolder } from "./restore.ts";
import { backupPlace } from "./scheduled/place.ts";
import { publish } from "./testing/published.ts";
import { verifyDataFolder } from "./verify.ts";

const { beforeAll, test } = needing("postgres");

const home = temporaryFolder();
const published = join(home, "published");
beforeAll(() => publish(loadConfig({ flags: { dataDir: published }, env: {} }), Buffer.from("a page")));

function copyOfPublished(): string {
  const copy = temporaryFolder();
  cpSync(published, copy, { recursive: true });
  return copy;
}

const emptyDatabase = async () => parseDatabaseUrl(await makeDatabase());

const ENTRY: AuditEntry = {
  at: 0,
  kind: "operator",
  actor: "root",
  userId: null,
  address: "",
  action: "freeze",
  site: "demo",
  subject: "",
};

/** The steps of the last move. */
let steps: string[] = [];
const order: MoveOrder = {
  dryRun: false,
  progress: { begin: (step, total, unit) => steps.push(`${step} ${total} ${unit}`), advance() {} },
};
const dry = { ...order, dryRun: true };

function bucketOf(of: ObjectMemory): Bucket {
  const objects = { ...memoryObjects(of), place: "s3://bucket" };
  return { objects, forVisitors: objects, cacheBytes: 1e6, meters: { hit() {}, missed() {} }, report() {} };
}
const noBucket = (): never => {
  throw new Error("there is no bucket");
};

/** The rows that both kinds of database have. */
function rowsIn(file: string) {
  const { routing_changes: _, meta, ...tables } = contentOf(file);
  return { ...tables, meta: meta?.filter(({ key }) => key !== "generation") };
}

test("metadata is copied to PostgreSQL and back; a server finds them at one place only", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const before = rowsIn(join(dataDir, "vitrine.db"));
  const rows = Object.values(before).flat().length;
  const ends = {
    from: join(dataDir, "vitrine.db"),
    to: expect.stringMatching(/^postgres:\/\/vitrine@127\.0\.0\.1:\d+\/test_/),
  };

  expect(await moveToDatabase(dataDir, database, dry)).toEqual({ rows, copied: rows, ...ends });
  expect(existsSync(join(dataDir, "vitrine.db"))).toBe(true);
  steps = [];
  expect(await moveToDatabase(dataDir, database, order)).toEqual({ rows, copied: rows, ...ends });
  expect(steps).toEqual([`copying ${rows} row`, `verifying ${rows} row`]);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("vitrine.db"))).toEqual(["vitrine.db.moved"]);
  await expect(verifyDataFolder({ dataDir }, () => {})).rejects.toThrow(
    "whose database is elsewhere: give its URL with --database",
  );
  await migrate(database);
  const store = postgresStore(connect(database, { max: 1 }));
  expect([await store.checkIntegrity(), (await store.sites.find("demo"))?.name]).toEqual([[], "demo"]);
  store.close();

  const back = { from: ends.to, to: join(dataDir, "vitrine.db") };
  const options = { dataDir, database };
  const planned = await moveToFolder(options, dataDir, noBucket, dry);
  expect(planned).toEqual({ content: null, database: { rows, copied: rows, ...back } });
  expect(existsSync(join(dataDir, "vitrine.db"))).toBe(false);
  expect(await moveToFolder(options, dataDir, noBucket, order)).toEqual(planned);
  expect(rowsIn(join(dataDir, "vitrine.db"))).toEqual(before);
  expect(await verifyDataFolder({ dataDir }, () => {})).toMatchObject({ problems: [], contents: 1 });
  await expect(migrate(database)).rejects.toThrow("was moved to a data folder");
  await expect(moveToFolder(options, dataDir, noBucket, order)).rejects.toThrow("is a data folder already");
  expect(await moveToDatabase(dataDir, database, order)).toMatchObject({ rows, copied: 0 });
  expect(await migrate(database)).toBe(0);
});

test("metadata in PostgreSQL and files in a bucket move together into a new folder", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const bucket = bucketOf(new Map());
  await moveToBucket({ dataDir }, bucket, order);
  await moveToDatabase(dataDir, database, order);
  const to = join(home, "new");
  const report = await moveToFolder({ dataDir, database, bucket }, to, () => bucket, order);
  expect(report).toMatchObject({
    content: { contents: 1, copied: 1, lost: [] },
    database: { to: join(to, "vitrine.db") },
  });
  expect(await verifyDataFolder({ dataDir: to }, () => {})).toMatchObject({ problems: [], contents: 1, leftovers: 0 });
});

test("the files alone move to a bucket while the metadata is in PostgreSQL", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const bucket = bucketOf(new Map());
  await moveToDatabase(dataDir, database, order);
  expect(await moveToBucket({ dataDir, database }, bucket, order)).toMatchObject({ contents: 1, copied: 1, lost: [] });
  expect(await verifyDataFolder({ dataDir, database, bucket }, () => {})).toMatchObject({ problems: [], contents: 1 });
});

test("a move that was interrupted before the folder knew of it is completed by the next one", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  copyDatabase(join(dataDir, "vitrine.db"), join(home, "kept.db"));
  const network = await startFaultyNetwork(database);
  const losingCommit = { ...order.progress, begin: (step: string) => step === "verifying" && network.loseNextCommit() };
  const lost = moveToDatabase(dataDir, network.url, { dryRun: false, progress: losingCommit });
  await expect(lost).rejects.toThrow("the database cannot be reached");
  network.stop();
  expect(existsSync(join(dataDir, "vitrine.db"))).toBe(true);
  expect(await moveToDatabase(dataDir, database, dry)).toMatchObject({ copied: 0 });
  expect(await moveToDatabase(dataDir, database, order)).toMatchObject({ copied: 0 });
  expect(existsSync(join(dataDir, "vitrine.db"))).toBe(false);

  inDatabase(join(home, "kept.db"), (db) => db.run("UPDATE sites SET total_views = 7"));
  cpSync(join(home, "kept.db"), join(dataDir, "vitrine.db"));
  for (const each of [dry, order]) {
    await expect(moveToDatabase(dataDir, database, each)).rejects.toThrow(
      "has other tables or rows: name a new, empty",
    );
  }
});

test("a change that a command makes during a move is refused, or waits for the end of the move", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const refusals: unknown[] = [];
  const duringCopy = (change: () => unknown): MoveOrder => ({
    dryRun: false,
    progress: { begin: (step) => step === "copying" && change(), advance() {} },
  });
  const changeFolder = () => {
    try {
      inDatabase(join(dataDir, "vitrine.db"), (db) => db.run("UPDATE sites SET total_views = 7"));
    } catch (error) {
      refusals.push(errorCode(error));
    }
  };
  await moveToDatabase(dataDir, database, duringCopy(changeFolder));
  expect(refusals).toEqual(["SQLITE_BUSY"]);

  const store = openStoreWithoutReplica(database);
  let command: Promise<void> = Promise.resolve();
  const append = () => {
    command = store.audit.append(ENTRY);
    command.catch(() => {});
  };
  await moveToFolder({ dataDir, database }, dataDir, noBucket, duringCopy(append));
  await expect(command).rejects.toThrow("was moved to a data folder");
  store.close();
});

test("a transaction that a stopped node has left open is moved once it commits, and later ones are refused", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  await moveToDatabase(dataDir, database, order);
  const node = connect(database, { max: 3 });
  const waiting = async () => {
    const here = sql`(SELECT oid FROM pg_database WHERE datname = current_database())`;
    const locks = await node.read((db) =>
      db.execute(sql`SELECT 1 FROM pg_locks WHERE NOT granted AND database = ${here}`),
    );
    return locks.length > 0;
  };
  const ends = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const open = node.write(async (tx) => {
    await tx.execute(sql`UPDATE sites SET total_views = 7`);
    begun.resolve();
    await ends.promise;
  });
  await begun.promise;
  let isMoved = false;
  const moved = moveToFolder({ dataDir, database }, dataDir, noBucket, order).then(() => {
    isMoved = true;
  });
  while (!isMoved && !(await waiting())) await Bun.sleep(5);
  const late = node.write((tx) => tx.execute(sql`UPDATE sites SET total_views = 8`)).catch((error) => error);
  ends.resolve();
  await Promise.all([open, moved]);
  expect(await late).toMatchObject({ kind: "unavailable", message: expect.stringContaining("was moved") });
  node.close();
  const views = inDatabase(join(dataDir, "vitrine.db"), (db) => db.query("SELECT total_views FROM sites").get());
  expect(views).toEqual({ total_views: 7 });
});

test("a dry run migrates no database", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const earlier = dataFolder(temporaryFolder());
  await makeFilledDatabase(earlier.database);
  inDatabase(earlier.database, (db) => db.run("PRAGMA user_version = 0"));
  const before = schemaOf(earlier.database);
  await expect(moveToDatabase(earlier.root, database, dry)).rejects.toThrow("was made by an earlier version");
  expect(schemaOf(earlier.database)).toEqual(before);
  await expect(moveToFolder({ dataDir: earlier.root, database }, dataDir, noBucket, dry)).rejects.toThrow("is empty");

  await moveToDatabase(dataDir, database, order);
  const connection = connect(database, { max: 1 });
  const schema = () => connection.read((db) => db.execute(sql`SELECT key, value FROM meta ORDER BY key`));
  await connection.write((tx) => tx.execute(sql`UPDATE meta SET value = 0 WHERE key = 'schema'`));
  const [rows] = [await schema()];
  await expect(moveToFolder({ dataDir, database }, dataDir, noBucket, dry)).rejects.toThrow("of another version");
  expect(await schema()).toEqual(rows);
  connection.close();
});

/** Runs a move in another process, which is killed when a step begins. */
async function killed(call: string, step: string): Promise<void> {
  const program = `
    import { parseDatabaseUrl } from "${import.meta.dir}/../../domain/database-url.ts";
    import { moveToDatabase } from "${import.meta.dir}/move-database.ts";
    import { moveToFolder } from "${import.meta.dir}/move-to-folder.ts";
    const begin = (step) => step === "${step}" && process.kill(process.pid, "SIGKILL");
    const order = { dryRun: false, progress: { begin, advance() {} } };
    await ${call};
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "inherit", "inherit"] });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}

test("a move that is killed leaves the source as it was, and is completed by the next one", async () => {
  const [dataDir, url] = [copyOfPublished(), await makeDatabase()];
  const database = parseDatabaseUrl(url);
  const before = rowsIn(join(dataDir, "vitrine.db"));
  const [folder, target] = [JSON.stringify(dataDir), `parseDatabaseUrl("${url}")`];
  for (const step of ["copying", "verifying"]) {
    await killed(`moveToDatabase(${folder}, ${target}, order)`, step);
    expect(await verifyDataFolder({ dataDir }, () => {})).toMatchObject({ problems: [], contents: 1 });
  }
  const rows = Object.values(before).flat().length;
  expect(await moveToDatabase(dataDir, database, order)).toMatchObject({ rows, copied: rows });

  for (const step of ["copying", "verifying"]) {
    await killed(`moveToFolder({ dataDir: ${folder}, database: ${target} }, ${folder}, () => {}, order)`, step);
    expect(await verifyDataFolder({ dataDir, database }, () => {})).toMatchObject({ problems: [], contents: 1 });
  }
  // As if it had been killed after it had marked the rows, and before the folder had its database.
  await markMoved(database, 0);
  expect(await moveToFolder({ dataDir, database }, dataDir, noBucket, order)).toMatchObject({ database: { rows } });
  expect(rowsIn(join(dataDir, "vitrine.db"))).toEqual(before);
});

test("nothing is moved while a server runs, from a damaged database, or with a text that PostgreSQL cannot store", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const release = lockDataFolder(dataFolder(dataDir));
  await expect(moveToDatabase(dataDir, database, order)).rejects.toThrow("is being served: stop the server first");
  release?.();
  const change = (statement: string) => inDatabase(join(dataDir, "vitrine.db"), (db) => db.run(statement));
  change("UPDATE deployments SET message = 'a' || char(0)");
  await expect(moveToDatabase(dataDir, database, dry)).rejects.toThrow("message of deployments with id 1");
  change("UPDATE deployments SET message = NULL; UPDATE sites SET last_number = 0");
  await expect(moveToDatabase(dataDir, database, dry)).rejects.toThrow("a number that was not given out yet");

  change("UPDATE sites SET last_number = 1");
  await moveToDatabase(dataDir, database, order);
  const connection = connect(database, { max: 1 });
  const nodes = nodeStore(connection);
  await nodes.join({ id: "1", name: "n1", address: "http://n1", version: "1" }, await connection.read(readEnd));
  const options = { dataDir, database };
  await expect(moveToFolder(options, dataDir, noBucket, dry)).rejects.toThrow(
    "is being served by n1: stop all nodes first",
  );
  await nodes.leave("1");
  connection.close();
  expect((await moveToFolder(options, dataDir, noBucket, dry)).database?.rows).toBeGreaterThan(0);
  const empty = { dataDir, database: await emptyDatabase() };
  await expect(moveToFolder(empty, dataDir, noBucket, dry)).rejects.toThrow("The database is empty");
});

/** Makes a backup as the server does, and restores it. */
async function scheduledBackup(dataDir: string, database: DatabaseUrl) {
  const [objects, content] = [folderObjects(join(home, "scheduled")), openFilesystemContent(join(dataDir, "content"))];
  const origin = { vitrine: "1", created_at: "2026-11-01T02:00:00.000Z", settings_from: null };
  const files = () => ({ database: postgresDatabase(database), content, settings: null, origin });
  const place = backupPlace(objects, { scratch: dataDir, content, fileOf: null, files });
  const id = "20261101T020000000Z";
  const store = postgresStore(connect(database, { max: 1 }));
  await backup({ contents: store.contents, target: await place.open({ id, createdAt: 0 }) });
  store.close();
  return restoreDataFolder({ dataDir: join(home, "restored-scheduled") }, { objects, id }, false, () => {});
}

test("a backup of PostgreSQL restores into a data folder, and moves to PostgreSQL again", async () => {
  const [dataDir, database] = [copyOfPublished(), await emptyDatabase()];
  const before = rowsIn(join(dataDir, "vitrine.db"));
  await moveToDatabase(dataDir, database, order);
  const request = { replace: false, settingsFile: null, version: "1", createdAt: 0 };
  for (const name of ["backup.tar.zst", "backup/"]) {
    const backup = `${home}/${name}`;
    const report = await backupDataFolder({ dataDir, database }, { ...request, path: backup }, () => {});
    expect(report).toMatchObject({ sites: 1, deployments: 1, contents: 1, copied: 1, missing: [], damaged: [] });
    const to = join(home, `restored-${name.replace("/", "")}`);
    expect(await restoreDataFolder({ dataDir: to }, backup, false, () => {})).toMatchObject({
      contents: 1,
      missing: [],
    });
    expect(rowsIn(join(to, "vitrine.db"))).toEqual(before);
    expect(await verifyDataFolder({ dataDir: to }, () => {})).toMatchObject({ problems: [], contents: 1 });
  }
  expect(await scheduledBackup(dataDir, database)).toMatchObject({ contents: 1, missing: [] });
  // Whatever the settings say, the metadata of a backup are in its folder.
  expect(await verifyDataFolder({ dataDir: `${home}/backup`, database }, () => {})).toMatchObject({ contents: 1 });
  const again = join(home, "restored-backup");
  await expect(verifyDataFolder({ dataDir: again, database }, () => {})).rejects.toThrow("has a database of its own");
  await moveToDatabase(again, await emptyDatabase(), order);
  expect(await verifyDataFolder({ dataDir, database }, () => {})).toMatchObject({ problems: [], contents: 1 });
});
