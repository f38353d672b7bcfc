import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unmountDisk, withDisk } from "../../testing/disk.ts";
import { needing } from "../../testing/needing.ts";
import { UnusableDataFolder } from "../folder/data-folder.ts";
import { MIGRATIONS, migrate } from "../sqlite/migrate.ts";
import { becomeLaterVersion } from "../sqlite/testing/earlier-database.ts";
import { openReadOnlyStorage } from "./read-only-store.ts";
import { eachWithOwnTemporaryFolder, earlierBackup } from "./testing/earlier-backup.ts";

const { afterEach, beforeEach, describe, test } = needing("disk");

const home = eachWithOwnTemporaryFolder({ beforeEach, afterEach });

async function mountedForReading(root: string, work: () => Promise<void>): Promise<void> {
  await Bun.$`mount --bind ${root} ${root}`;
  try {
    await Bun.$`mount -o remount,bind,ro ${root}`;
    await work();
  } finally {
    await unmountDisk(root);
  }
}

describe("a backup on a disk that is mounted read-only", () => {
  test.each([
    ["this version", () => null],
    ["an earlier version", becomeLaterVersion],
  ])("can be read if %s made it", async (_, become) => {
    const folder = await earlierBackup(home());
    using _later = become();
    await mountedForReading(folder.root, async () => {
      const { store, close } = await openReadOnlyStorage(folder);
      expect(await store.checkIntegrity()).toEqual([]);
      close();
    });
  });

  test("is named in the error if it is newer, and not its copy", async () => {
    const folder = await earlierBackup(home());
    await migrate(folder.database, [...MIGRATIONS, "CREATE TABLE later (id INTEGER) STRICT"]);
    await mountedForReading(folder.root, async () => {
      await expect(openReadOnlyStorage(folder)).rejects.toThrow(`${folder.database} was made by a newer Vitrine`);
    });
  });
});

describe("the temporary folder", () => {
  test("needs space for only one copy", async () => {
    // Enough space for a copy of the database with the log of all migrations, but not for a second copy.
    await withDisk(join(home(), "tmp"), "size=700k", async () => {
      const earlier = await earlierBackup(home());
      using _later = becomeLaterVersion();
      (await openReadOnlyStorage(earlier)).close();
    });
  });

  // Too little space for the copy, and enough for the copy but not for its migrations.
  test.each(["16k", "340k"])("is named if it is full at %s", async (size) => {
    await withDisk(join(home(), "tmp"), `size=${size}`, async () => {
      const { database, ...folder } = await earlierBackup(home());
      using _later = becomeLaterVersion();
      const refusal = await openReadOnlyStorage({ ...folder, database }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(UnusableDataFolder);
      const { detail, advice } = refusal as UnusableDataFolder;
      expect(detail).toBe(`the temporary folder ${join(home(), "tmp")} has no room for a copy of ${database}`);
      expect(advice).toBe("free some space there, or set another one in TMPDIR");
      expect(readdirSync(join(home(), "tmp"))).toEqual([]);
    });
  });
});
