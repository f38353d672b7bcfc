import { Database } from "bun:sqlite";
import { beforeEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { type DataFolder, dataFolder, deleteUnfinished } from "../folder/data-folder.ts";
import { createPreparedFolder, holdsDatabase, replaceDatabase } from "./replace-database.ts";

const STEPS = ["folded", "copied", "set aside", "without a log", "database", "done"];

let folder: DataFolder;
beforeEach(() => {
  folder = dataFolder(temporaryFolder());
});

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** Writes a database that refers to one content. */
function writeDatabase(file: string, bytes: string): void {
  const db = new Database(file, { create: true });
  fill(db, bytes);
  db.close();
}

function fill(db: Database, bytes: string): void {
  db.run("CREATE TABLE contents (id INTEGER PRIMARY KEY, digest TEXT, size INTEGER)");
  db.run("CREATE TABLE encodings (digest TEXT)");
  db.query("INSERT INTO contents (digest, size) VALUES (?, ?)").run(sha256(bytes), bytes.length);
}

/** Leaves a database as kill -9 does: its data is only in the log. */
function writeKilledDatabase(file: string, bytes: string): void {
  const scratch = join(folder.root, "scratch.db");
  const db = new Database(scratch, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  fill(db, bytes);
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(scratch + suffix, file + suffix);
  db.close();
  rmSync(scratch);
}

function digestIn(file: string): string {
  using db = new Database(file, { readwrite: true });
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  return (db.query("SELECT digest FROM contents").get() as { digest: string }).digest;
}

function arriving() {
  const arrival = createPreparedFolder(folder);
  writeDatabase(arrival.database, "new");
  writeFileSync(arrival.settings, "");
  return arrival;
}

const setAside = () => readdirSync(folder.root).filter((name) => name.startsWith("replaced-"));

test.each(STEPS)("a crash after the step %p leaves either the old state complete or the new one", async (last) => {
  writeKilledDatabase(folder.database, "old");
  await openFilesystemContent(folder.content).put(sha256("old"), Buffer.from("old"));
  const crashing = replaceDatabase(folder, arriving(), (step) => {
    if (step === last) throw new Error("crash");
  });
  await expect(crashing).rejects.toThrow("crash");
  deleteUnfinished(folder);
  const isNew = STEPS.indexOf(last) >= STEPS.indexOf("database");
  expect(digestIn(folder.database)).toBe(sha256(isNew ? "new" : "old"));
  if (!isNew) expect(existsSync(folder.settings)).toBe(false);
  expect(existsSync(folder.restoring)).toBe(false);
  for (const name of setAside()) {
    const aside = dataFolder(join(folder.root, name));
    expect(digestIn(aside.database)).toBe(sha256("old"));
    expect(await new Response(await openFilesystemContent(aside.content).read(sha256("old"))).text()).toBe("old");
  }
});

test("the server's sweep keeps the content of a database that was set aside", async () => {
  writeDatabase(folder.database, "old");
  const content = openFilesystemContent(folder.content);
  await content.put(sha256("old"), Buffer.from("old"));
  await content.put(sha256("stray"), Buffer.from("stray"));
  await replaceDatabase(folder, arriving());
  await content.delete(sha256("old"), Number.POSITIVE_INFINITY);
  const aside = openFilesystemContent(join(folder.root, setAside()[0] as string, "content"));
  expect((await Array.fromAsync(aside.list())).map(({ digest }) => digest)).toEqual([sha256("old")]);
});

test("a log without its database is set aside, and not applied to the new one", async () => {
  writeKilledDatabase(folder.database, "old");
  rmSync(folder.database);
  expect(holdsDatabase(folder)).toBe(true);
  await replaceDatabase(folder, arriving());
  expect(digestIn(folder.database)).toBe(sha256("new"));
  expect(readdirSync(join(folder.root, setAside()[0] as string)).sort()).toEqual([
    "content",
    "vitrine.db-shm",
    "vitrine.db-wal",
  ]);
});

test("a damaged database is set aside unchanged, with all content", async () => {
  writeFileSync(folder.database, "no database at all");
  await openFilesystemContent(folder.content).put(sha256("old"), Buffer.from("old"));
  await replaceDatabase(folder, arriving());
  expect(digestIn(folder.database)).toBe(sha256("new"));
  const [aside = ""] = setAside();
  expect(await Bun.file(join(folder.root, aside, "vitrine.db")).text()).toBe("no database at all");
  expect(await openFilesystemContent(join(folder.root, aside, "content")).stat(sha256("old"))).not.toBeNull();
});

test("a database that a command has open is not replaced", async () => {
  const db = new Database(folder.database, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("CREATE TABLE t (x)");
  await expect(replaceDatabase(folder, arriving())).rejects.toThrow("is used by another command");
  db.close();
});
