import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { needing } from "../../../testing/needing.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { openFilesystemContent } from "../../content/filesystem/filesystem.ts";
import { migrate } from "../../sqlite/migrate.ts";
import { sqliteDatabase } from "./database-source.ts";
import { TargetInUse } from "./files.ts";
import { folderTarget, partsOfFolder } from "./folder.ts";

const root = temporaryFolder();

const database = join(root, "vitrine.db");
await migrate(database);
const files = {
  database: sqliteDatabase(database),
  content: openFilesystemContent(join(root, "source")),
  settings: null,
  origin: { vitrine: "1.0.0", created_at: "2026-11-22T00:00:00.000Z", settings_from: null },
};

const sha256Of = (file: string) => new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex");

test("one backup at a time can be written to a folder", async () => {
  const first = await folderTarget(join(root, "one"), files);
  await expect(folderTarget(join(root, "one"), files)).rejects.toThrow(TargetInUse);
  await first.abandon();
  await (await folderTarget(join(root, "one"), files)).abandon();
});

test("releasing a finished backup does not affect the next one", async () => {
  const to = join(root, "complete");
  const first = await folderTarget(to, files);
  await first.complete(await first.takeSnapshot());
  const next = await folderTarget(to, files);
  const snapshot = await next.takeSnapshot();
  await first.abandon();
  await next.complete(snapshot);
  expect(readdirSync(to).sort()).toEqual(["backup.lock", "content", "vitrine-backup.json", "vitrine.db"]);
});

test("an abort stops the copy of content and removes incomplete files", async () => {
  const bytes = Buffer.alloc(8 * 1024 * 1024, "content");
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  await files.content.put(digest, bytes);
  const to = join(root, "given-up");
  const staging = join(to, "content", "staging");
  const target = await folderTarget(to, files);
  const copying = target.copy({ digest, size: bytes.length });
  while (readdirSync(staging).length === 0) await setImmediate();
  void target.abandon();
  expect(readdirSync(staging)).toEqual([]);
  await copying.catch(() => {});
  expect(readdirSync(join(to, "content", digest.slice(0, 2)))).toEqual([]);
});

test("an abort also stops the check of an earlier backup", async () => {
  const contents = Array.from({ length: 20 }, (_, index) => Buffer.from(`content ${index}`));
  const source = openFilesystemContent(join(root, "many"));
  const target = await folderTarget(join(root, "looked-through"), { ...files, content: source });
  const digests = contents.map((content) => new Bun.CryptoHasher("sha256").update(content).digest("hex"));
  for (const [index, digest] of digests.entries()) await source.put(digest, contents[index]!);
  const copyAll = async () => {
    for (const [index, digest] of digests.entries()) {
      const content = { digest, size: contents[index]!.length };
      if (!(await target.has(content))) await target.copy(content);
    }
  };
  for (const _ of ["copied", "looked through"]) {
    let ended = false;
    let turns = 0;
    const all = copyAll().then(() => {
      ended = true;
    });
    while (!ended) {
      await setImmediate();
      turns++;
    }
    await all;
    expect(turns).toBeGreaterThan(2);
  }
  await target.abandon();
});

test("incomplete files of a killed backup are removed by the next one", async () => {
  const to = join(root, "killed");
  await (await folderTarget(to, files)).abandon();
  writeFileSync(join(to, "content", "staging", crypto.randomUUID()), "half");
  const next = await folderTarget(to, files);
  expect(readdirSync(join(to, "content", "staging"))).toEqual([]);
  await next.abandon();
});

test("its description has the digest of its database, which neither reading nor verify changes", async () => {
  const to = join(root, "digest");
  const target = await folderTarget(to, files);
  await target.complete(await target.takeSnapshot());
  const { database_sha256: digests } = JSON.parse(readFileSync(join(to, "vitrine-backup.json"), "utf8"));
  await migrate(join(to, "vitrine.db"));
  const db = new Database(join(to, "vitrine.db"), { readwrite: true });
  db.run("PRAGMA journal_mode = WAL");
  db.query("SELECT * FROM sites").all();
  db.close();
  expect(digests).toEqual([sha256Of(join(to, "vitrine.db"))]);
});

needing("another user").test("content that cannot be read there is copied again", async () => {
  const to = join(root, "of-another");
  const target = await folderTarget(to, files);
  const source = join(root, "out-of-reach");
  writeFileSync(source, "out of reach", { mode: 0o600 });
  const digest = sha256Of(source);
  const file = join(to, "content", digest.slice(0, 2), digest);
  mkdirSync(dirname(file));
  copyFileSync(source, file);
  await Bun.$`chmod 711 ${root} && chown -R 65534 ${to} && chown 0 ${file}`;
  process.seteuid?.(65_534);
  try {
    expect(await target.has({ digest, size: 12 })).toBe(false);
  } finally {
    process.seteuid?.(0);
  }
  await target.abandon();
});

test("a database never has its name without the description that marks a backup", async () => {
  const to = join(root, "ended-early");
  const target = await folderTarget(to, files);
  mkdirSync(join(to, "vitrine-backup.json.partial"));
  await expect(target.complete(await target.takeSnapshot())).rejects.toThrow();
  expect(readdirSync(to)).not.toContain("vitrine.db");
  await target.abandon();
});

test("the log of a killed command is not applied to the next backup's database", async () => {
  const to = join(root, "logged");
  mkdirSync(to);
  const scratch = join(root, "scratch.db");
  const db = new Database(scratch, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("CREATE TABLE of_the_killed (x)");
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(scratch + suffix, join(to, `vitrine.db${suffix}`));
  db.close();
  const target = await folderTarget(to, files);
  await target.complete(await target.takeSnapshot());
  expect(readdirSync(to).sort()).toEqual(["backup.lock", "content", "vitrine-backup.json", "vitrine.db"]);
  const restored = new Database(join(to, "vitrine.db"), { readonly: true });
  expect(restored.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  expect(restored.query("SELECT name FROM sqlite_schema WHERE name = 'of_the_killed'").get()).toBeNull();
  restored.close();
});

test("a database that is being read is not replaced", async () => {
  const to = join(root, "looked-at");
  const first = await folderTarget(to, files);
  await first.complete(await first.takeSnapshot());
  const db = new Database(join(to, "vitrine.db"), { readwrite: true });
  db.query("SELECT * FROM sites").all();
  const second = await folderTarget(to, files);
  const snapshot = await second.takeSnapshot();
  await expect(second.complete(snapshot)).rejects.toThrow(TargetInUse);
  await second.abandon();
  db.close();
});

describe("a restore from a folder", () => {
  const [digest, lost] = ["ab", "cd"].map((byte) => byte.repeat(32)) as [string, string];
  const place = (folder: string, content: string) => join(folder, "content", content.slice(0, 2), content);

  async function copied(name: string): Promise<string> {
    const to = join(root, name);
    const target = await folderTarget(to, files);
    await target.complete(await target.takeSnapshot());
    return to;
  }

  test("takes content, and no other file beside it", async () => {
    const from = await copied("encoded");
    await Bun.write(place(from, digest), "whole");
    for (const encoded of [`${digest}.br`, `${lost}.zst`, `${lost}.gz`]) await Bun.write(place(from, encoded), "x");
    const parts = await Array.fromAsync(partsOfFolder(from));
    expect(parts.map(({ kind }) => kind).sort()).toEqual(["content", "description", "store"]);
    expect(parts.find(({ kind }) => kind === "content")).toMatchObject({ digest, size: 5 });
  });

  test("creates nothing in the folder", async () => {
    const from = join(root, "raw");
    mkdirSync(join(from, "content"), { recursive: true });
    expect(await Array.fromAsync(partsOfFolder(from))).toEqual([]);
    expect(readdirSync(from, { recursive: true })).toEqual(["content"]);
  });

  test("does not read a backup while it is written, and blocks writes while it reads", async () => {
    const from = await copied("busy");
    const writing = await folderTarget(from, files);
    await expect(partsOfFolder(from).next()).rejects.toThrow(TargetInUse);
    await writing.abandon();
    for await (const _ of partsOfFolder(from)) await expect(folderTarget(from, files)).rejects.toThrow(TargetInUse);
    await (await folderTarget(from, files)).abandon();
  });
});
