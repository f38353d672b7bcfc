import { beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { readTar } from "../../../archive/tar/tar.ts";
import { loadConfig } from "../../../config/settings.ts";
import { backup } from "../../../domain/backups/backup.ts";
import type { BackupPlace } from "../../../domain/ports/backup-place.ts";
import { needing } from "../../../testing/needing.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { openFilesystemContent } from "../../content/filesystem/filesystem.ts";
import { folderObjects } from "../../objects/folder.ts";
import { openStorage } from "../../open.ts";
import { sqliteDatabase } from "../backup/database-source.ts";
import { backupDataFolder } from "../backup.ts";
import { restoreDataFolder } from "../restore.ts";
import { publish } from "../testing/published.ts";
import { backupPlace } from "./place.ts";

const home = temporaryFolder();
const dataDir = join(home, "data");
const config = loadConfig({ flags: { dataDir }, env: {} });
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((day) => `2026110${day}T020000000Z`) as [string, string, string];
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const page = Buffer.from("the page");
const digest = sha256(page);
const content = openFilesystemContent(join(dataDir, "content"));
await publish(config, page);
writeFileSync(join(dataDir, "vitrine.toml"), "keep-last = 3\n");

let to: string;
let place: BackupPlace;
beforeEach(() => {
  to = temporaryFolder();
  place = placeAt(to);
});

function placeAt(
  folder: string,
  fileOf: ((of: string) => string) | null = null,
  objects = folderObjects(folder),
): BackupPlace {
  return backupPlace(objects, {
    scratch: dataDir,
    content,
    fileOf,
    files: (createdAt) => ({
      database: sqliteDatabase(join(dataDir, "vitrine.db")),
      content,
      settings: readFileSync(join(dataDir, "vitrine.toml")),
      origin: { vitrine: "1.0.0", created_at: new Date(createdAt).toISOString(), settings_from: null },
    }),
  });
}

async function make(id: string, createdAt = 0, at = place): Promise<number> {
  const { store, close } = openStorage({ dataDir });
  await store.backups.begin({ id, place: to, at: createdAt });
  const target = await at.open({ id, createdAt });
  try {
    const { damaged } = await backup({ contents: store.contents, target });
    expect(damaged).toEqual([]);
  } finally {
    await target.abandon();
    await store.backups.delete(id);
    close();
  }
  return target.added();
}

const files = (folder = to) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
const fileOf = (folder: string, of = digest) => join(folder, "files", of.slice(0, 2), of);
const partsOf = (id: string) =>
  ["contents.txt", "vitrine-backup.json", "vitrine.db", "vitrine.toml"].map((part) => `backups/${id}/${part}`);

test("a second backup adds only new content, and each one can be restored alone", async () => {
  const added = await make(FIRST, 1000);
  expect(files()).toEqual([...partsOf(FIRST), `files/${digest.slice(0, 2)}/${digest}`]);
  expect(await make(SECOND, 2000)).toBe(added - page.length);
  const listed = [...(await place.list())].sort((one, other) => one.createdAt - other.createdAt);
  expect(listed.map(({ id, createdAt }) => [id, createdAt])).toEqual([
    [FIRST, 1000],
    [SECOND, 2000],
  ]);
  expect(listed[0]?.bytes).toBeWithin(added - 1000, added);
});

test("an unfinished backup is not listed, and the next sweep removes it", async () => {
  const target = await place.open({ id: FIRST, createdAt: 0 });
  await target.takeSnapshot();
  await target.copy({ digest, size: page.length });
  // As a crash would leave it.
  writeFileSync(join(to, "unfinished", "half"), "half");
  mkdirSync(join(to, "backups", FIRST), { recursive: true });
  for (const part of ["contents.txt", "vitrine.db"]) writeFileSync(join(to, "backups", FIRST, part), "");
  expect(await place.list()).toEqual([]);
  expect(await place.archive(FIRST)).toBeNull();
  await target.abandon();
  await make(SECOND);
  await place.sweep();
  expect(files()).toEqual([...partsOf(SECOND), `files/${digest.slice(0, 2)}/${digest}`]);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("vitrine-backup.partial"))).toEqual([]);
});

test("a repeated backup does not count as complete until its last part is replaced", async () => {
  await make(FIRST);
  const objects = folderObjects(to);
  const failing: typeof objects = {
    ...objects,
    write: async (name, chunks) => {
      if (name.endsWith("vitrine.db")) throw new Error("the disk is away");
      await objects.write(name, chunks);
    },
  };
  await expect(make(FIRST, 1000, placeAt(to, null, failing))).rejects.toThrow("the disk is away");
  expect(await place.list()).toEqual([]);
  await make(FIRST, 2000);
  expect((await place.list()).map(({ createdAt }) => createdAt)).toEqual([2000]);
});

test("damaged content of the data folder is not accepted as complete", async () => {
  const file = join(dataDir, "content", digest.slice(0, 2), digest);
  writeFileSync(file, "THE PAGE");
  try {
    for (const linked of [null, () => file]) {
      place = placeAt(to, linked);
      const target = await place.open({ id: FIRST, createdAt: 0 });
      expect(await target.copy({ digest, size: page.length })).toBe("damaged");
      await target.abandon();
    }
    expect(files()).toEqual([]);
  } finally {
    writeFileSync(file, page);
  }
});

test("content that no backup needs is swept, and foreign files are not touched", async () => {
  await make(FIRST);
  const [unneeded, byHand] = [sha256(Buffer.from("old")), "files/ab/notes.txt"];
  mkdirSync(join(to, "files", unneeded.slice(0, 2)), { recursive: true });
  writeFileSync(fileOf(to, unneeded), "old");
  const theirs = [
    "notes.txt",
    byHand,
    `backups/${FIRST}/notes.txt`,
    "backups/mine/vitrine.db",
    "content/ab/x",
    "vitrine.db",
    `files/00/${digest}`,
  ];
  for (const name of theirs) {
    mkdirSync(join(to, name, ".."), { recursive: true });
    writeFileSync(join(to, name), "by hand");
  }
  await place.sweep();
  expect(existsSync(fileOf(to, unneeded))).toBe(false);
  expect(existsSync(fileOf(to))).toBe(true);
  await place.delete(FIRST);
  await place.sweep();
  expect(files()).toEqual(theirs.sort());
});

test("a backup with a damaged description is not listed, and does not block others", async () => {
  await make(FIRST);
  writeFileSync(join(to, "backups", FIRST, "vitrine-backup.json"), "{");
  await make(SECOND);
  expect((await place.list()).map(({ id }) => id)).toEqual([SECOND]);
  expect(await place.archive(FIRST)).toBeNull();
  await place.sweep();
  expect(existsSync(fileOf(to))).toBe(true);
});

test("nothing is swept while the list of a kept backup cannot be read", async () => {
  await make(FIRST);
  await make(SECOND);
  writeFileSync(join(to, "backups", SECOND, "contents.txt"), "garbage\n");
  await expect(place.sweep()).rejects.toThrow(`the list of files of the backup ${SECOND} is damaged`);
  expect(existsSync(fileOf(to))).toBe(true);
});

test("content is hard-linked to the data folder if possible, and its digest is checked anyway", async () => {
  const file = join(dataDir, "content", digest.slice(0, 2), digest);
  place = placeAt(to, () => file);
  const added = await make(FIRST);
  expect(statSync(fileOf(to)).ino).toBe(statSync(file).ino);
  expect(await make(SECOND)).toBe(added);
  rmSync(fileOf(to));
  place = placeAt(to, () => join(home, "none"));
  expect(await place.verify(FIRST, () => {})).toEqual({ repaired: 1, damaged: [] });
  expect(statSync(fileOf(to)).nlink).toBe(1);
});

describe("a verification", () => {
  test("passes for an intact backup", async () => {
    await make(FIRST);
    expect(await place.verify(FIRST, () => {})).toEqual({ repaired: 0, damaged: [] });
    await expect(place.verify(THIRD, () => {})).rejects.toThrow(`there is no complete backup ${THIRD}`);
  });

  needing("proc").test("copies content again that the disk cannot read", async () => {
    await make(FIRST);
    rmSync(fileOf(to));
    // /proc/self/mem has nothing at its beginning, so that reading fails with EIO.
    symlinkSync("/proc/self/mem", fileOf(to));
    expect(await place.verify(FIRST, () => {})).toEqual({ repaired: 1, damaged: [] });
    expect(readFileSync(fileOf(to))).toEqual(page);
  });

  test("copies damaged and missing content again, and reports the rest", async () => {
    await make(FIRST);
    writeFileSync(fileOf(to), "THE PAGE");
    expect(await place.verify(FIRST, () => {})).toEqual({ repaired: 1, damaged: [] });
    rmSync(fileOf(to));
    expect(await place.verify(FIRST, () => {})).toEqual({ repaired: 1, damaged: [] });
    expect(readFileSync(fileOf(to))).toEqual(page);
    const gone = sha256(Buffer.from("gone"));
    const list = join(to, "backups", FIRST, "contents.txt");
    writeFileSync(list, `${readFileSync(list)}${gone} 4\n`);
    writeFileSync(join(to, "backups", FIRST, "vitrine.db"), "other");
    expect(await place.verify(FIRST, () => {})).toEqual({ repaired: 0, damaged: [gone, "vitrine.db"] });
  });
});

describe("a restore", () => {
  const restored = () => join(temporaryFolder(), "data");

  test("uses the newest backup or the chosen one, with its settings", async () => {
    await make(FIRST, 1000);
    writeFileSync(join(dataDir, "vitrine.toml"), "keep-last = 4\n");
    await make(SECOND, 2000);
    writeFileSync(join(dataDir, "vitrine.toml"), "keep-last = 3\n");
    for (const [id, keep] of [
      [null, 4],
      [SECOND, 4],
      [FIRST, 3],
    ] as const) {
      const into = restored();
      const report = await restoreDataFolder({ dataDir: into }, { objects: folderObjects(to), id }, false, () => {});
      expect(report).toMatchObject({ contents: 1, bytes: page.length, missing: [] });
      expect(readFileSync(join(into, "vitrine.toml"), "utf8")).toBe(`keep-last = ${keep}\n`);
      expect(readFileSync(join(into, "content", digest.slice(0, 2), digest))).toEqual(page);
      const { store, close } = openStorage({ dataDir: into });
      expect(await store.checkIntegrity()).toEqual([]);
      expect(await store.backups.list()).toEqual([]);
      close();
    }
  });

  test("reports damaged or missing content", async () => {
    await make(FIRST);
    truncateSync(fileOf(to), 3);
    const report = await restoreDataFolder(
      { dataDir: restored() },
      { objects: folderObjects(to), id: FIRST },
      false,
      () => {},
    );
    expect(report.missing).toEqual([digest]);
    rmSync(fileOf(to));
    const again = await restoreDataFolder(
      { dataDir: restored() },
      { objects: folderObjects(to), id: FIRST },
      false,
      () => {},
    );
    expect(again.missing).toEqual([digest]);
  });

  needing("proc").test("reports content that the disk cannot read, and restores everything else", async () => {
    await make(FIRST);
    const byHand = join(to, "by-hand");
    const order = { path: `${byHand}/`, replace: false, settingsFile: null, version: "1.0.0", createdAt: 0 };
    await backupDataFolder(config, order, () => {});
    const scheduled = { objects: folderObjects(to), id: FIRST };
    for (const [from, file] of [
      [scheduled, fileOf(to)],
      [byHand, join(byHand, "content", digest.slice(0, 2), digest)],
    ] as const) {
      rmSync(file);
      symlinkSync("/proc/self/mem", file);
      const report = await restoreDataFolder({ dataDir: restored() }, from, false, () => {});
      expect(report).toMatchObject({ contents: 1, missing: [digest] });
    }
  });

  test("fails if there is no backup", async () => {
    const from = { objects: folderObjects(to), id: null };
    await expect(restoreDataFolder({ dataDir: restored() }, from, false, () => {})).rejects.toThrow(
      `there is no complete backup in ${to}`,
    );
  });
});

describe("the archive of a backup", () => {
  test("can be restored by vitrine restore", async () => {
    await make(FIRST, Date.parse("2026-11-01T02:00:00Z"));
    const archive = (await place.archive(FIRST))!;
    const bytes = Buffer.concat(await Array.fromAsync(archive.read({ start: 0, end: archive.size })));
    expect(bytes.length).toBe(archive.size);
    const found: Record<string, Buffer> = {};
    for await (const { name, read } of readTar(Readable.from([bytes])))
      found[name] = Buffer.concat(await Array.fromAsync(read()));
    expect(Object.keys(found)).toEqual([
      `content/${digest.slice(0, 2)}/${digest}`,
      "vitrine.toml",
      "vitrine-backup.json",
      "vitrine.db",
    ]);
    expect(found[`content/${digest.slice(0, 2)}/${digest}`]).toEqual(page);
    const file = join(home, "archive.tar");
    writeFileSync(file, bytes);
    const into = join(home, "from-archive");
    expect(await restoreDataFolder({ dataDir: into }, file, false, () => {})).toMatchObject({
      contents: 1,
      missing: [],
    });
  });

  test("is the same if it is read in ranges", async () => {
    await make(FIRST);
    const archive = (await place.archive(FIRST))!;
    const read = async (start: number, end: number) =>
      Buffer.concat(await Array.fromAsync(archive.read({ start, end })));
    const whole = await read(0, archive.size);
    for (const at of [0, 1, 511, 512, 515, 520, 521, 1023, 1024, 1025, archive.size - 1025, archive.size - 1]) {
      expect((await read(at, archive.size)).equals(whole.subarray(at))).toBe(true);
      expect((await read(0, at)).equals(whole.subarray(0, at))).toBe(true);
      expect((await read(at, at + 10)).equals(whole.subarray(at, at + 10))).toBe(true);
    }
  });

  test("is truncated rather than sent with wrong bytes", async () => {
    await make(FIRST);
    rmSync(fileOf(to));
    const archive = (await place.archive(FIRST))!;
    await expect(Array.fromAsync(archive.read({ start: 0, end: archive.size }))).rejects.toThrow(
      "is missing or damaged",
    );
  });
});
